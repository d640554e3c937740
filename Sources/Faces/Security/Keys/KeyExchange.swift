import Foundation
import LatchkeyAsymmetricKeys

/// An algorithm of key exchange with what it takes from the program.
struct KeyExchange {
    let algorithm: ExchangeAlgorithm
    let requestedByteCount: Int?
    let sharedInfo: [UInt8]

    init(_ algorithm: SecKeyAlgorithm, _ parameters: KeyDictionary) throws(KeyCallFailure) {
        guard case .exchange(let exchange)? = algorithm.algorithm else { throw KeyCallFailure(.unsupported) }
        try parameters.checkText()
        self.algorithm = exchange
        // The plain exchange looks at neither.
        guard exchange.derivation != nil else {
            requestedByteCount = nil
            sharedInfo = []
            return
        }
        let size = parameters[SecKeyKeyExchangeParameter.requestedSize.name]
        guard let size = size as? NSNumber, let count = Int(exactly: size), count >= 0 else {
            throw KeyCallFailure(errSecParam, "The algorithm needs SecKeyKeyExchangeParameter.requestedSize, a number.")
        }
        requestedByteCount = count
        switch parameters[SecKeyKeyExchangeParameter.sharedInfo.name] {
        case nil: sharedInfo = []
        case let data as NSData: sharedInfo = data.byteArray
        default: throw KeyCallFailure(errSecParam, "SecKeyKeyExchangeParameter.sharedInfo is not data.")
        }
    }
}
