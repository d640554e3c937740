import AppleNames
import CoreFoundation
import Dispatch
import Foundation
import Security
import Testing

/// A file that imports every module with a name of its own, or an equal one.
@Suite("Names of Apple's system modules beside those of other modules")
struct NamesBesideOthersTests {
    @Test("are not ambiguous, and a program's own come first")
    func names() {
        #expect(CFSwapInt32HostToBig(1) == UInt32(1).bigEndian)
        #expect(CFSwapInt16(0x0102) == 0x0201)
        #expect(TARGET_OS_IPHONE == 0 && TARGET_OS_SIMULATOR == 0)
        let unit: UniChar = 7
        let queue: dispatch_queue_t = DispatchQueue(label: "names")
        let group = dispatch_group_t()
        queue.async(group: group) {}
        group.wait()
        var text: [CChar] = [0, 0]
        #expect(strlcpy(&text, "ab", 2) == 2 && text == [97, 0])
        let code: errno_t = memset_s(&text, 2, 0, 2)
        #expect(code == 0 && unit == 7)
        let NSEC_PER_SEC = "own"
        #expect(NSEC_PER_SEC == "own")
    }
}
