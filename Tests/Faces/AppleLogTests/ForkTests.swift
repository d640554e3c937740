import Foundation
import LatchkeyTestSupport
import Testing

@testable import AppleLog

@Suite("Masks in a child of fork") struct ForkTests {
    @Test("are of a key of its own, and stay the same in each process") func masksInOwnProcess() async {
        await #expect(processExitsWith: .success) {
            func code(_ value: String) -> String { ("\(value, privacy: .private(mask: .hash))" as OSLogMessage).text }
            let own = code("anna")
            let ending = Forking.child {
                let childs = code("anna")
                try Forking.require(childs != own && childs == code("anna") && childs != code("bert"))
            }
            exit(ending == .success && code("anna") == own ? 0 : 1)
        }
    }
}
