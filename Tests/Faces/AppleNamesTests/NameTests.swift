import AppleNames
import Dispatch
import Foundation
import Testing

@Suite("Names of Apple's system modules")
struct NameTests {
    @Test("types are those that Swift has for Apple's declarations")
    func types() {
        #expect(errno_t.self == Int32.self && rsize_t.self == Int.self)
        #expect(kern_return_t.self == Int32.self && natural_t.self == UInt32.self && OSErr.self == Int16.self)
        #expect(UniChar.self == UInt16.self && UTF8Char.self == UInt8.self)
        #expect(UTF16Char.self == UInt16.self && UTF32Char.self == UInt32.self)
        #expect(dispatch_semaphore_t.self == DispatchSemaphore.self && dispatch_group_t.self == DispatchGroup.self)
        let now: dispatch_time_t = DispatchTime.now().rawValue
        #expect(now > 0)
        let block: dispatch_block_t = {}
        DispatchQueue(label: "block").sync(execute: block)
    }

    @Test("a pointer for an object of the caller takes it")
    func autoreleasing() {
        func fill(_ error: AutoreleasingUnsafeMutablePointer<NSError?>?) {
            error?.pointee = NSError(domain: "d", code: 3)
        }
        var error: NSError?
        fill(&error)
        fill(nil)
        #expect(error?.code == 3)
    }

    @Test("constants have Apple's types and values")
    func constants() {
        let numbers: [UInt64] = [NSEC_PER_SEC, NSEC_PER_MSEC, NSEC_PER_USEC, USEC_PER_SEC, MSEC_PER_SEC]
        #expect(numbers == [1_000_000_000, 1_000_000, 1_000, 1_000_000, 1_000])
        let targets: [Int32] = [
            TARGET_OS_MAC, TARGET_OS_IPHONE, TARGET_OS_IOS, TARGET_OS_OSX, TARGET_OS_TV, TARGET_OS_WATCH,
            TARGET_OS_MACCATALYST, TARGET_OS_SIMULATOR, TARGET_IPHONE_SIMULATOR,
        ]
        #expect(targets.allSatisfy { $0 == 0 })
        let success: kern_return_t = KERN_SUCCESS
        #expect(success == 0)
        #expect(OBJC_SYNC_SUCCESS == 0 && OBJC_SYNC_NOT_OWNING_THREAD_ERROR == -1)
    }

    @Test("the order of bytes is reversed where it differs from the machine's")
    func order() {
        #expect(CFSwapInt16(0x0102) == 0x0201)
        #expect(CFSwapInt32(0x0102_0304) == 0x0403_0201)
        #expect(CFSwapInt64(0x0102_0304_0506_0708) == 0x0807_0605_0403_0201)

        func bytes<Number>(_ number: Number) -> [UInt8] { withUnsafeBytes(of: number) { Array($0) } }
        #expect(bytes(CFSwapInt16HostToBig(0x0102)) == [1, 2])
        #expect(bytes(CFSwapInt32HostToBig(0x0102_0304)) == [1, 2, 3, 4])
        #expect(bytes(CFSwapInt64HostToBig(0x0102_0304_0506_0708)) == [1, 2, 3, 4, 5, 6, 7, 8])
        #expect(bytes(CFSwapInt16HostToLittle(0x0102)) == [2, 1])
        #expect(bytes(CFSwapInt32HostToLittle(0x0102_0304)) == [4, 3, 2, 1])
        #expect(bytes(CFSwapInt64HostToLittle(0x0102_0304_0506_0708)) == [8, 7, 6, 5, 4, 3, 2, 1])
        for number: UInt16 in [0, 1, 0xFF00, 0x1234] {
            #expect(CFSwapInt16BigToHost(CFSwapInt16HostToBig(number)) == number)
            #expect(CFSwapInt16LittleToHost(CFSwapInt16HostToLittle(number)) == number)
        }
        #expect(CFSwapInt32BigToHost(CFSwapInt32HostToBig(0x0102_0304)) == 0x0102_0304)
        #expect(CFSwapInt32LittleToHost(CFSwapInt32HostToLittle(0x0102_0304)) == 0x0102_0304)
        #expect(CFSwapInt64BigToHost(CFSwapInt64HostToBig(0x0102_0304_0506_0708)) == 0x0102_0304_0506_0708)
        #expect(CFSwapInt64LittleToHost(CFSwapInt64HostToLittle(0x0102_0304_0506_0708)) == 0x0102_0304_0506_0708)
    }

    @Test(
        "a text is copied as far as it fits, and the length of the whole is the result",
        arguments: [
            (0, [42, 42, 42, 42, 42, 42]), (1, [0, 42, 42, 42, 42, 42]), (3, [97, 98, 0, 42, 42, 42]),
            (4, [97, 98, 99, 0, 42, 42]), (6, [97, 98, 99, 0, 42, 42]),
        ])
    func copying(size: Int, expected: [CChar]) {
        var buffer = [CChar](repeating: 42, count: 6)
        #expect(strlcpy(&buffer, "abc", size) == 3)
        #expect(buffer == expected)
    }

    @Test(
        "a text is appended as far as it fits, and the length that it needs is the result",
        arguments: [
            (0, 3, [97, 98, 0, 42, 42, 42]), (2, 5, [97, 98, 0, 42, 42, 42]), (3, 5, [97, 98, 0, 42, 42, 42]),
            (5, 5, [97, 98, 99, 100, 0, 42]), (6, 5, [97, 98, 99, 100, 101, 0]),
        ])
    func appending(size: Int, length: Int, expected: [CChar]) {
        var buffer: [CChar] = [97, 98, 0, 42, 42, 42]
        #expect(strlcat(&buffer, "cde", size) == length)
        #expect(buffer == expected)
    }

    @Test("ticks are nanoseconds of the clock that stands while the machine sleeps")
    func ticks() {
        var information = mach_timebase_info()
        #expect(mach_timebase_info(&information) == KERN_SUCCESS)
        #expect(information.numer == 1 && information.denom == 1)
        let other = mach_timebase_info(numer: 125, denom: 3)
        #expect(other.numer == 125 && other.denom == 3)
        let before = DispatchTime.now().uptimeNanoseconds
        let now = mach_absolute_time()
        #expect(before <= now && now <= DispatchTime.now().uptimeNanoseconds)
        #expect(mach_continuous_time() >= now)
    }
}
