import LatchkeyEnclaveContract
import LatchkeyKeychainMessages
import LatchkeySecretMemory
import LatchkeyTestSupport
import Testing

/// The memory of daemons and transports of a circle: after a lock without the keys of zone A, after leaving without any of the circle.
@Suite(.serialized, .needsRoot(to: "read the memory of other processes", if: MemoryScan.isPossible))
struct SyncScanTests {
    @Test("a scan after lock finds no key of zone A, no item of it and no code", .timeLimit(.minutes(20)))
    func afterLock() throws {
        let circle = try ScannedCircle()
        let needles = try circle.codes + circle.keys.ofZoneA + circle.items(of: ["ak"])
        let open = try circle.keys.ofZoneC
        for device in circle.devices {
            let daemon = try #require(device.processes.daemonIdentifier)
            // The scan sees what is there.
            let before = try MemoryScan(of: daemon).found(needles + open)
            #expect(before.contains("K_A") && before.contains("K_C"), "the scan is blind: \(before)")
            #expect(try MemoryScan(of: daemon).found(circle.codes) == [], "\(device.name) before the lock")
            #expect(device.client.refusal(of: LockDevice(immediately: true)) == nil)
            #expect(try MemoryScan(of: daemon).found(needles) == [], "the daemon of \(device.name)")
            #expect(try MemoryScan(of: daemon).found(open).contains("K_C"), "zone C stays open")
            let enclave = try #require(device.processes.enclaveIdentifier)
            #expect(try MemoryScan(of: enclave).found(needles) == [], "the enclave of \(device.name)")
            // The transport never has anything of that.
            let transport = try #require(device.transport)
            let all = try needles + open + circle.items(of: ["ck"])
            #expect(try MemoryScan(of: transport).found(all) == [], "the transport of \(device.name)")
        }
    }

    @Test(
        "a change that comes in while a device is locked, and is opened later, leaves nothing after the next lock",
        .timeLimit(.minutes(20)))
    func lockedMeanwhile() throws {
        let circle = try ScannedCircle()
        let (first, second) = (circle.devices[0], circle.devices[1])
        #expect(second.client.refusal(of: LockDevice(immediately: true)) == nil)
        let daemon = try #require(second.processes.daemonIdentifier)
        let late = try circle.add("late", of: "ak", on: first)
        try first.settle()
        while try second.report().waitingObjects == 0 { _ = try second.progress() }
        #expect(try MemoryScan(of: daemon).found([late] + circle.keys.ofZoneA) == [])
        #expect(second.client.refusal(of: UnlockDevice(secret(ScannedCircle.passcode))) == nil)
        try second.receive("late")
        #expect(try MemoryScan(of: daemon).found(circle.keys.ofZoneA).contains("K_A"), "the scan is blind")
        #expect(second.client.refusal(of: LockDevice(immediately: true)) == nil)
        #expect(try MemoryScan(of: daemon).found([late] + circle.codes + circle.keys.ofZoneA) == [])
    }

    @Test(
        "a scan after leaving finds no key of the circle, no code and no item that was on its way",
        .timeLimit(.minutes(20)))
    func afterLeave() throws {
        let circle = try ScannedCircle()
        let keys = try circle.keys.ofZoneA + circle.keys.ofZoneC
        let needles = try circle.codes + keys + circle.items(of: ["ak", "ck"])
        for device in circle.devices.reversed() {
            let daemon = try #require(device.processes.daemonIdentifier)
            #expect(try MemoryScan(of: daemon).found(keys).contains("K_C"), "the scan is blind")
            _ = try device.client.ask(
                LeaveCircle(deletesItems: false, isForced: true, passcode: secret(ScannedCircle.passcode)))
            #expect(try device.report().membership == .none)
            #expect(try MemoryScan(of: daemon).found(needles) == [], "the daemon of \(device.name)")
            let enclave = try #require(device.processes.enclaveIdentifier)
            #expect(try MemoryScan(of: enclave).found(needles) == [], "the enclave of \(device.name)")
            // The items have stayed.
            for account in circle.accounts { #expect(try device.content(of: account) != nil) }
            guard let transport = device.transport else { continue }
            #expect(try MemoryScan(of: transport).found(needles) == [], "the transport of \(device.name)")
        }
    }
}
