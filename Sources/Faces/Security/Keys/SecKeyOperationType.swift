import LatchkeyAsymmetricKeys

/// The operation that a key is used for.
public enum SecKeyOperationType: Int, Sendable, CaseIterable {
    case sign = 0
    case verify = 1
    case encrypt = 2
    case decrypt = 3
    case keyExchange = 4

    var operation: KeyOperation {
        switch self {
        case .sign: .sign
        case .verify: .verify
        case .encrypt: .encrypt
        case .decrypt: .decrypt
        case .keyExchange: .exchange
        }
    }
}
