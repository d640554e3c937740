import Glibc
import LatchkeyCodeSignature

/// A file in memory that holds one input after the other.
nonisolated(unsafe) private let file = tmpfile()

private let program = [UInt8](repeating: 0xAB, count: 32)

/// A program's file: its headers, notes and dynamic section, and the signature in it. Bytes that are accepted as a
/// signature are the only ones that say so.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeRawBufferPointer(start: start, count: count))
    if let signature = try? ProgramSignature(decoding: input) {
        precondition(signature.encoded() == input, "a signature has two encodings")
        try? signature.check(digest: program)
    }
    let descriptor = fileno(file)
    guard ftruncate(descriptor, 0) == 0, pwrite(descriptor, start, count, 0) == count,
        let image = try? ExecutableImage(descriptor: descriptor), let digest = try? image.digest()
    else { return 0 }
    for range in image.noteRanges {
        precondition(range.upperBound <= UInt64(count) && range.count == SignatureNote.descriptorByteCount)
    }
    guard let signature = try? image.embeddedSignature() else { return 0 }
    precondition(image.noteRanges.count >= 1 && signature.statement.digest.count == digest.count)
    try? signature.check(digest: digest)
    return 0
}
