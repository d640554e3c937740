#if PostQuantum
import Crypto
import FoundationEssentials

typealias MLKEM768Key = MLKEM768.PrivateKey
typealias MLKEM1024Key = MLKEM1024.PrivateKey
typealias MLDSA65Key = MLDSA65.PrivateKey
typealias MLDSA87Key = MLDSA87.PrivateKey

extension MLKEM768.PrivateKey: ExpandedDecapsulationKey {
    init(seedBytes: UnsafeBufferPointer<UInt8>) throws {
        unsafe try self.init(seedRepresentation: seedBytes, publicKey: nil)
    }

    var publicBytes: [UInt8] { Array(publicKey.rawRepresentation) }

    func secret(in ciphertext: [UInt8]) throws -> SymmetricKey { try decapsulate(ciphertext) }
}

extension MLKEM1024.PrivateKey: ExpandedDecapsulationKey {
    init(seedBytes: UnsafeBufferPointer<UInt8>) throws {
        unsafe try self.init(seedRepresentation: seedBytes, publicKey: nil)
    }

    var publicBytes: [UInt8] { Array(publicKey.rawRepresentation) }

    func secret(in ciphertext: [UInt8]) throws -> SymmetricKey { try decapsulate(ciphertext) }
}

extension MLDSA65.PrivateKey: ExpandedSigningKey {
    init(seedBytes: UnsafeBufferPointer<UInt8>) throws {
        unsafe try self.init(seedRepresentation: seedBytes, publicKey: nil)
    }

    var publicBytes: [UInt8] { Array(publicKey.rawRepresentation) }

    func signature(over message: [UInt8], contextString: [UInt8]) throws -> Data {
        try signature(for: message, context: contextString)
    }
}

extension MLDSA87.PrivateKey: ExpandedSigningKey {
    init(seedBytes: UnsafeBufferPointer<UInt8>) throws {
        unsafe try self.init(seedRepresentation: seedBytes, publicKey: nil)
    }

    var publicBytes: [UInt8] { Array(publicKey.rawRepresentation) }

    func signature(over message: [UInt8], contextString: [UInt8]) throws -> Data {
        try signature(for: message, context: contextString)
    }
}
#endif
