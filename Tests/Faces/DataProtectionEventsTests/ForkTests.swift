import DataProtectionEvents
import Foundation
import LatchkeyTestSupport
import SecurityTesting
import Testing

@Suite("A center in a child of fork") struct ForkTests {
    @Test("does not post by its parent's watch, and begins anew when it is asked to") func beginsInOwnProcess() async {
        await #expect(processExitsWith: .success) {
            let device = try VirtualDevice()
            let center = device.run { ProtectedDataCenter.shared }
            guard center.beginPosting(), center.isPosting else { exit(1) }
            let ending = Forking.child {
                try Forking.require(!center.isPosting)
                try Forking.require(center.isProtectedDataAvailable)
                try Forking.require(center.beginPosting() && center.isPosting)
                center.endPosting()
                try Forking.require(!center.isPosting)
            }
            exit(ending == .success && center.isPosting ? 0 : 2)
        }
    }
}
