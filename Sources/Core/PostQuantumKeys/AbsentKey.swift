#if !PostQuantum
import LatchkeySecretMemory

typealias MLKEM768Key = AbsentKey
typealias MLKEM1024Key = AbsentKey
typealias MLDSA65Key = AbsentKey
typealias MLDSA87Key = AbsentKey

/// A key of a build without the trait `PostQuantum`, and so without the library that computes with such keys: there is
/// never one.
enum AbsentKey {
    static func withKey<Result>(
        from seed: SecretBox, _ use: (AbsentKey) throws -> Result
    ) throws(PostQuantumFailure) -> Result {
        throw .library("this build has no keys of ML-KEM and ML-DSA: it was made without the trait PostQuantum")
    }

    var publicBytes: [UInt8] {
        switch self {}
    }

    func signed(_ message: [UInt8], _ contextString: [UInt8]) throws -> [UInt8] {
        switch self {}
    }

    func opened(_ ciphertext: [UInt8]) throws -> SecretBox {
        switch self {}
    }
}

extension MLKEM768Encapsulation {
    static func encapsulated(for publicKey: [UInt8]) -> Encapsulated? { nil }
}
#endif
