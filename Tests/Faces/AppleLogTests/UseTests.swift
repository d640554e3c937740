import AppleLog
import Foundation
import Testing

/// Code as apps have it.
@Suite("Uses of the log")
struct UseTests {
    @Test("os_log takes Apple's arguments in both orders")
    func functionsInOwnProcess() async {
        await #expect(processExitsWith: .success) {
            let log = OSLog(subsystem: "login", category: .pointsOfInterest)
            os_log("a")
            os_log("%{public}@ %d", log: log, type: .error, "a", 3)
            os_log(.info, log: log, "%d", 3)
            os_log("a \(3)")
            os_log(.error, log: log, "a \(3)")
            os_log(.fault, "a")
        }
    }

    @Test("signposts run what they surround")
    func signposts() throws {
        let signposter = OSSignposter(subsystem: "login", category: "test")
        let state = signposter.beginInterval("a", id: signposter.makeSignpostID(), "\(3)")
        signposter.emitEvent("b")
        signposter.endInterval("a", state)
        #expect(signposter.withIntervalSignpost("c") { 3 } == 3)
        #expect(throws: CancellationError.self) {
            try signposter.withIntervalSignpost("c") { throw CancellationError() }
        }
        #expect(!signposter.isEnabled && !OSSignposter.disabled.isEnabled)
        let object = NSMutableArray()
        #expect(signposter.makeSignpostID(from: object) == OSSignpostID(log: .default, object: object))
        os_signpost(.begin, log: .default, name: "a")
        os_signpost(.end, log: .default, name: "a", signpostID: .exclusive, "%d", 3)
        // <os/signpost.h>
        #expect(OSSignpostID.null.rawValue == 0 && OSSignpostID.invalid.rawValue == UInt64.max)
        #expect(OSSignpostID.exclusive.rawValue == 0xEEEE_B0B5_B2B2_EEEE)
    }

    @Test("types have the numbers of <os/log.h>")
    func types() {
        let types: [OSLogType] = [.default, .info, .debug, .error, .fault]
        #expect(types.map(\.rawValue) == [0, 1, 2, 16, 17])
    }
}
