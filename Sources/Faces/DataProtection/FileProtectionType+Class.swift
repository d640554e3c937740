import Foundation
import LatchkeyKeybag

extension FileProtectionType {
    init(_ protection: FileProtection) {
        self.init(rawValue: protection.rawValue)
    }

    /// Nil for a name of no class.
    var protection: FileProtection? { FileProtection(rawValue: rawValue) }
}

extension Data.WritingOptions {
    /// The class that the options name; nil if they name none.
    func protection() throws -> FileProtection? {
        switch intersection(.fileProtectionMask) {
        case []: return nil
        case .completeFileProtection: return .complete
        case .completeFileProtectionUnlessOpen: return .completeUnlessOpen
        case .completeFileProtectionUntilFirstUserAuthentication: return .completeUntilFirstUserAuthentication
        case .noFileProtection: return FileProtection.none
        default:
            throw CocoaError(
                .featureUnsupported,
                userInfo: [
                    NSLocalizedFailureReasonErrorKey:
                        "The writing options name a protection class that Latchkey does not have."
                ])
        }
    }
}

extension FileProtectionType {
    /// The class, or an error for a name of no class.
    func known(_ path: String) throws -> FileProtection {
        if let protection { return protection }
        throw CocoaError(
            .featureUnsupported,
            userInfo: [
                NSFilePathErrorKey: path,
                NSLocalizedFailureReasonErrorKey: "\(rawValue) is not a protection class that Latchkey has.",
            ])
    }
}
