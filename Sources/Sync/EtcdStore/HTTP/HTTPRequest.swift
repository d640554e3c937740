internal import LatchkeyPlainText
internal import LatchkeySecretMemory

/// A request with a body. Everything that etcd's gateway is asked is one.
struct HTTPRequest: Sendable {
    enum Body: Sendable {
        case open([UInt8])
        case secret(SecretBox)

        var count: Int {
            switch self {
            case .open(let bytes): bytes.count
            case .secret(let box): box.count
            }
        }

        func withBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
            switch self {
            case .open(let bytes): unsafe bytes.withUnsafeBytes { unsafe body($0) }
            case .secret(let box): unsafe box.withBytes { unsafe body($0) }
            }
        }
    }

    let server: ServerAddress
    let path: String
    /// Lines of the header, without line ends.
    var headers: [String] = []
    let body: Body
    /// True if the answer has a few lines, whatever the request is.
    var hasShortAnswer = false
    /// The greatest number of bytes of the answer.
    var answerLimit = 64 << 10
}

/// The answer of a server, whatever it means.
struct HTTPAnswer: Sendable {
    let status: Int
    let body: [UInt8]

    var isSuccess: Bool { status == 200 }
}

/// A reason for which there is no whole answer.
enum HTTPFailure: Error, Hashable, Sendable {
    /// No connection, or one that broke. The server may have got the request.
    case absent(String)
    /// The server got the request, and did not answer in time.
    case silent(String)
    /// The server cannot prove who it is.
    case untrusted(String)
    /// The server does not accept the certificate of this device, or it cannot be read.
    case credentials(String)
    case tooLong
}
