import Security
import Testing

@Suite("Small names of other system modules")
struct SmallNameTests {
    @Test("bytes are compared up to the given length")
    func comparison() {
        #expect(timingsafe_bcmp([1, 2, 3] as [UInt8], [1, 2, 3] as [UInt8], 3) == 0)
        #expect(timingsafe_bcmp([1, 2, 3] as [UInt8], [1, 2, 4] as [UInt8], 3) != 0)
        #expect(timingsafe_bcmp([1, 2, 3] as [UInt8], [1, 2, 4] as [UInt8], 2) == 0)
        #expect(timingsafe_bcmp([1] as [UInt8], [2] as [UInt8], 0) == 0)
    }

    @Test("bytes are set, never beyond their end")
    func setting() {
        var bytes: [UInt8] = [1, 2, 3, 4]
        #expect(memset_s(&bytes, 4, 0, 2) == 0)
        #expect(bytes == [0, 0, 3, 4])
        #expect(memset_s(&bytes, 4, 0x2A, 4) == 0)
        #expect(bytes == [42, 42, 42, 42])
        #expect(memset_s(&bytes, 3, 7, 9) != 0)
        #expect(bytes == [7, 7, 7, 42])
        #expect(memset_s(nil, 3, 7, 3) != 0)
    }

    @Test("a truth value of C is one byte")
    func truth() {
        let yes: DarwinBoolean = true
        #expect(yes.boolValue)
        #expect(DarwinBoolean(false) == false)
        #expect(MemoryLayout<DarwinBoolean>.size == 1)
    }

    @Test("a pool only runs its body")
    func pool() {
        #expect(autoreleasepool { 5 } == 5)
        #expect(throws: CancellationError.self) { try autoreleasepool { throw CancellationError() } }
    }

    @Test("data is made of bytes, with and without taking them over")
    func data() {
        let bytes: [UInt8] = [1, 2, 3]
        #expect(CFDataCreate(kCFAllocatorDefault, bytes, 3) as Data == Data([1, 2, 3]))
        #expect(CFDataCreate(nil, nil, 0) as Data == Data())
        #expect(CFDataCreate(nil, bytes, -1) == nil)
        let copied = CFDataCreateWithBytesNoCopy(nil, bytes, 2, kCFAllocatorNull)
        #expect(CFDataGetLength(copied) == 2)
        #expect(CFDataGetBytePtr(copied)[1] == 2)
    }

    @Test("objects are equal by their content")
    func equality() {
        #expect(CFEqual("a" as CFString, NSMutableString(string: "a")))
        #expect(!CFEqual("a" as CFString, 1 as CFNumber))
        #expect(CFHash("a" as CFString) == CFHash(NSMutableString(string: "a")))
        #expect(CFBooleanGetValue(kCFBooleanTrue) && !CFBooleanGetValue(kCFBooleanFalse))
        #expect(CFAbsoluteTimeGetCurrent() > 0)
    }

    @Test("a place for an error can be handed on")
    func errorPointer() {
        func fill(_ error: NSErrorPointer) { error?.pointee = NSError(domain: "d", code: 3) }
        var error: NSError?
        fill(&error)
        #expect(error?.code == 3)
    }
}
