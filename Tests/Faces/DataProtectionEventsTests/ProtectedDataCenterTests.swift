import DataProtectionEvents
import Foundation
import LatchkeyTestSupport
import Security
import SecurityTesting
import Testing

@Suite("Protected data, announced to a program")
@MainActor
struct ProtectedDataCenterTests {
    private nonisolated static var item: CFDictionary {
        [
            kSecClass: kSecClassGenericPassword, kSecAttrAccount: "a",
            kSecAttrAccessible: kSecAttrAccessibleWhenUnlockedThisDeviceOnly,
        ] as CFDictionary
    }

    @Test("the delegate and the observers hear of each lock and unlock", arguments: VirtualDevice.Backend.allCases)
    func announced(_ backend: VirtualDevice.Backend) async throws {
        let device = try VirtualDevice(backend: backend)
        try device.setPasscode("1234")
        let center = device.run { ProtectedDataCenter.shared }
        let heard = Announcements(of: center)
        defer { heard.end() }
        center.delegate = heard
        #expect(center.isPosting)
        try device.lock(withGrace: true)
        #expect(await heard.next() == [.toldWill, .postedWill])
        // That of processes ends by the machine's clock.
        if backend == .embedded { #expect(center.isProtectedDataAvailable, "the grace period runs") }
        try device.lock()
        #expect(!center.isProtectedDataAvailable)
        try device.unlock("1234")
        #expect(await heard.next() == [.toldDid, .postedDid], "the end of the grace period is not announced again")
        #expect(center.isProtectedDataAvailable)
        try device.lock()
        #expect(await heard.next() == [.toldWill, .postedWill])
        device.close()
    }

    @Test("an unlock within the grace period takes the announcement back")
    func unlockedInGrace() async throws {
        let device = try VirtualDevice()
        try device.setPasscode("1234")
        let center = device.run { ProtectedDataCenter.shared }
        let heard = Announcements(of: center)
        defer { heard.end() }
        #expect(center.beginPosting())
        #expect(center.beginPosting(), "once more changes nothing")
        try device.lock(withGrace: true)
        try device.unlock("1234")
        #expect(await heard.next() == [.postedWill, .postedDid])
    }

    @Test("nothing that was before the beginning is announced, and nothing after the end")
    func bounds() async throws {
        let device = try VirtualDevice()
        try device.setPasscode("1234")
        let center = device.run { ProtectedDataCenter.shared }
        let heard = Announcements(of: center)
        defer { heard.end() }
        try device.lock()
        #expect(center.beginPosting())
        try device.unlock("1234")
        #expect(await heard.next(1) == [.postedDid])
        try device.lock()
        center.endPosting()
        #expect(!center.isPosting)
        try device.unlock("1234")
        #expect(center.beginPosting())
        try device.lock()
        #expect(await heard.next(1) == [.postedWill], "the state that it begins with does not count as a change")
    }

    @Test("every part of a program on one device has the same center, and other devices have others")
    func shared() throws {
        let device = try VirtualDevice()
        let center = device.run { ProtectedDataCenter.shared }
        let mail = device.install("com.example.mail")
        #expect(mail.run { ProtectedDataCenter.shared } === center)
        let other = try VirtualDevice()
        #expect(other.run { ProtectedDataCenter.shared } !== center)
    }

    @Test("a listener's calls go to the device that it heard of")
    func scope() async throws {
        let device = try VirtualDevice()
        try device.setPasscode("1234")
        let center = device.run { ProtectedDataCenter.shared }
        let (stream, statuses) = AsyncStream<OSStatus>.makeStream()
        let observer = NotificationCenter.default.addObserver(
            forName: ProtectedDataCenter.protectedDataWillBecomeUnavailableNotification, object: center, queue: nil
        ) { _ in statuses.yield(SecItemAdd(Self.item, nil)) }
        defer { NotificationCenter.default.removeObserver(observer) }
        center.beginPosting()
        try device.lock(withGrace: true)
        var found = stream.makeAsyncIterator()
        #expect(await found.next(isolation: #isolation) == errSecSuccess)
        #expect(try device.status.itemCounts[.genericPassword] == 1)
    }

    @Test("a daemon that ends makes the data unavailable; the next question goes on", .timeLimit(.minutes(5)))
    func restart() async throws {
        let device = try VirtualDevice(backend: .processes)
        let center = device.run { ProtectedDataCenter.shared }
        let heard = Announcements(of: center)
        defer { heard.end() }
        #expect(center.beginPosting())
        try device.stop()
        #expect(await heard.next(1) == [.postedWill])
        eventually { !center.isPosting }
        #expect(!center.isProtectedDataAvailable)
        #expect(!center.beginPosting())
        try device.start()
        #expect(center.isProtectedDataAvailable)
        #expect(center.isPosting)
        #expect(await heard.next(1) == [.postedDid])
        device.close()
    }

    @Test("a delegate may leave methods out")
    func optional() async throws {
        final class Quiet: ProtectedDataDelegate {}
        let device = try VirtualDevice()
        try device.setPasscode("1234")
        let center = device.run { ProtectedDataCenter.shared }
        let heard = Announcements(of: center)
        defer { heard.end() }
        let quiet = Quiet()
        center.delegate = quiet
        try device.lock()
        try device.unlock("1234")
        #expect(await heard.next() == [.postedWill, .postedDid])
        withExtendedLifetime(quiet) {}
    }

    @Test("the names are UIKit's")
    func names() {
        #expect(
            Notification.Name.UIApplicationProtectedDataDidBecomeAvailable.rawValue
                == "UIApplicationProtectedDataDidBecomeAvailable")
        #expect(
            Notification.Name.UIApplicationProtectedDataWillBecomeUnavailable.rawValue
                == "UIApplicationProtectedDataWillBecomeUnavailable")
    }
}
