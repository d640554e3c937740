import Foundation
import LatchkeyCryptoSuite
import LatchkeySecretMemory
import LatchkeyTestSupport
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

    @Test("a forked child does not seal: it ends, and the parent goes on") func forkedChildInOwnProcess() async {
        await #expect(processExitsWith: .success) {
            let keys = Self.keys(seed: 1)
            let first = Self.seal(keys).reference
            let ending = Forking.child {
                Forking.silenceStandardError()
                _ = Self.seal(keys)
            }
            let next = Self.seal(keys).reference
            exit(ending.isTrap && next.salt == first.salt && next.counter == first.counter + 1 ? 0 : 1)
        }
    }
}
