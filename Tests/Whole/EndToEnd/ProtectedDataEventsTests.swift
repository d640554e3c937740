import DataProtectionEvents
import Foundation
import Security
import SecurityTesting
import Testing

@Suite("Lock and unlock as a sequence")
struct ProtectedDataEventsTests {
    private static var item: CFDictionary {
        [kSecClass: kSecClassGenericPassword, kSecAttrAccount: "a"] as CFDictionary
    }

    @Test(
        "a program hears of each lock and unlock, from objects and from processes",
        arguments: VirtualDevice.Backend.allCases)
    func events(_ backend: VirtualDevice.Backend) async throws {
        let device = try VirtualDevice(backend: backend)
        try device.setPasscode("1234")
        var events = device.run { ProtectedDataEvents() }.makeAsyncIterator()
        #expect(await events.next() == .available)
        try device.lock()
        #expect(await events.next() == .unavailable)
        try device.unlock("1234")
        #expect(await events.next() == .available)
        try device.lock(withGrace: true)
        #expect(await events.next() == .becomingUnavailable)
        try device.lock()
        #expect(await events.next() == .unavailable)
        device.close()
        #expect(await events.next() == nil)
        #expect(await events.next() == nil)
    }

    @Test("the end of a grace period and a restart are events, too")
    func clock() async throws {
        let device = try VirtualDevice()
        try device.setPasscode("1234")
        var events = device.run { ProtectedDataEvents() }.makeAsyncIterator()
        #expect(await events.next() == .available)
        try device.lock(withGrace: true)
        try device.advance(by: .seconds(11))
        #expect(await events.next() == .becomingUnavailable)
        #expect(await events.next() == .unavailable)
        try device.reboot()
        #expect(await events.next() == .beforeFirstUnlock)
        try device.unlock("1234")
        try device.removePasscode("1234")
        #expect(await events.next() == .available)
    }

    @Test("the device locks by itself, and the sequence says so")
    func idle() async throws {
        let device = try VirtualDevice()
        try device.setPasscode("1234")
        try device.setAutoLock(after: .seconds(300))
        var events = device.run { ProtectedDataEvents() }.makeAsyncIterator()
        #expect(await events.next() == .available)
        try device.advance(by: .seconds(299))
        #expect(device.run { SecItemAdd(Self.item, nil) } == errSecSuccess)
        try device.advance(by: .seconds(2))
        #expect(await events.next() == .becomingUnavailable)
        try device.advance(by: .seconds(10))
        #expect(await events.next() == .unavailable)
        #expect(device.run { SecItemCopyMatching(Self.item, nil) } == errSecInteractionNotAllowed)
    }

    @Test("several follow one device, and one whose task is cancelled ends")
    func several() async throws {
        let device = try VirtualDevice()
        var first = device.run { ProtectedDataEvents() }.makeAsyncIterator()
        var second = device.run { ProtectedDataEvents() }.makeAsyncIterator()
        #expect(await first.next() == .available)
        #expect(await second.next() == .available)
        let sequence = device.run { ProtectedDataEvents() }
        let task = Task {
            var count = 0
            for await _ in sequence { count += 1 }
            return count
        }
        task.cancel()
        #expect(await task.value <= 1)
        try device.setPasscode("1234")
        try device.lock()
        #expect(await first.next() == .unavailable)
        #expect(await second.next() == .unavailable)
    }

    @Test("a sequence of a device that is gone has no element")
    func gone() async throws {
        let device = try VirtualDevice()
        let sequence = device.run { ProtectedDataEvents() }
        device.close()
        for await state in sequence { Issue.record("\(state)") }
    }
}
