import Foundation
import Security

extension Lockbox {
    /// The prompt for a value that requires authentication.
    public enum Prompt {
        /// In the words of the system.
        case automatic
        /// With the reason of the app: "Open the mail".
        case reason(String)
        /// Over an `LAContext`, which brings what it has already and keeps what the user proves. Anything else is a
        /// ``LockboxError/contradiction(reason:)``.
        case context(AnyObject)
        /// Not at all: a value that requires authentication fails with ``LockboxError/personNeeded``.
        case never

        static let noContext = "Prompt.context takes an LAContext."

        /// The prompt as attributes of a query.
        func attributes() throws(LockboxError) -> [String: Any] {
            switch self {
            case .automatic: return [:]
            case .reason(let text): return [ItemName.prompt: text]
            case .context(let context):
                // By its name: a program that never prompts needs no LocalAuthentication, and so it is not linked here.
                guard let type = NSClassFromString("LocalAuthentication.LAContext"),
                    (context as? NSObject)?.isKind(of: type) == true
                else { throw .contradiction(reason: Self.noContext) }
                return [ItemName.context: context]
            case .never: return Self.neverAttributes
            }
        }

        /// The attributes of ``never``.
        static var neverAttributes: [String: Any] { [ItemName.authenticationUI: ItemName.authenticationUIFail] }
    }
}
