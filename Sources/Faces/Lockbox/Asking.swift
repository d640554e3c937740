import Foundation
import Security

/// How somebody is asked who has to prove something for a value.
public enum Asking {
    /// With the words of the system.
    case asUsual
    /// The person reads why: "Open the mail".
    case reason(String)
    /// Over an `LAContext`, which brings what it has already and keeps what a person proves. Anything else is a
    /// ``LockboxError/contradiction(reason:)``.
    case context(AnyObject)
    /// Nobody is asked: what would need somebody fails with ``LockboxError/personNeeded``.
    case nobody

    static let noContext = "Asking.context takes an LAContext."

    /// As attributes of a query.
    func attributes() throws(LockboxError) -> [String: Any] {
        switch self {
        case .asUsual: return [:]
        case .reason(let text): return [ItemName.prompt: text]
        case .context(let context):
            // By its name: whoever asks nobody needs no LocalAuthentication, and so it is not linked here.
            guard let type = NSClassFromString("LocalAuthentication.LAContext"),
                (context as? NSObject)?.isKind(of: type) == true
            else { throw .contradiction(reason: Self.noContext) }
            return [ItemName.context: context]
        case .nobody: return Self.nobodyAttributes
        }
    }

    /// Of ``nobody``.
    static var nobodyAttributes: [String: Any] { [ItemName.authenticationUI: ItemName.authenticationUIFail] }
}
