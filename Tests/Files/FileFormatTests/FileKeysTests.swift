import Foundation
import LatchkeyCryptoSuite
import LatchkeySecretMemory
import Testing

@testable import LatchkeyFileFormat

@Suite struct FileKeysTests {
    private static func keys(seed: UInt64) -> FileKeys {
        FileKeys(fileKey: Sample.key, identifier: [UInt8](repeating: 7, count: 16), entropy: SeededEntropy(seed: seed))
    }

    private static func seal(_ keys: FileKeys) -> (reference: BlockReference, bytes: [UInt8]) {
        var bytes = Sample.bytes(Sample.block)
        let reference = bytes.withUnsafeMutableBytes { bytes in
            keys.seal(UnsafeRawBufferPointer(bytes), level: 0, position: 2, into: bytes)
        }
        return (reference, bytes)
    }

    @Test("blocks of 16 sessions are opened with one cipher for each") func sessions() {
        let blocks = (1...16).map { Self.seal(Self.keys(seed: $0)) }
        let keys = Self.keys(seed: 99)
        for _ in 0..<3 {
            for (reference, bytes) in blocks {
                var output = bytes
                let isOpened = output.withUnsafeMutableBytes { output in
                    keys.open(UnsafeRawBufferPointer(output), level: 0, reference: reference, into: output)
                }
                #expect(isOpened)
            }
        }
        #expect(keys.derivedCount == 16)
    }

    @Test("a forked child seals under another salt than its parent") func forkedChildInOwnProcess() async {
        await #expect(processExitsWith: .success) {
            let keys = Self.keys(seed: 1)
            let first = Self.seal(keys).reference
            var pipe: [CInt] = [0, 0]
            guard Glibc.pipe(&pipe) == 0 else { exit(2) }
            let child = forkProcess()
            let next = Self.seal(keys).reference
            var isOther = next.salt != first.salt
            if child == 0 {
                write(pipe[1], &isOther, 1)
                _exit(0)
            }
            var childIsOther = false
            guard child > 0, read(pipe[0], &childIsOther, 1) == 1, waitpid(child, nil, 0) == child else { exit(3) }
            exit(childIsOther && !isOther ? 0 : 1)
        }
    }
}

/// Calls `fork`, which Swift hides. The process must have one thread that does anything.
private func forkProcess() -> pid_t {
    typealias Fork = @convention(c) () -> pid_t
    guard let symbol = dlsym(nil, "fork") else { return -1 }
    return unsafeBitCast(symbol, to: Fork.self)()
}
