import Dispatch
public import Foundation
import LatchkeyCryptoSuite

// Passwords that an app shares with an associated web site. Latchkey has no such associations: these calls store and
// find nothing, and say so.

/// Calls back with `errSecUnimplemented`, on a queue of the system.
public func SecAddSharedWebCredential(
    _ fqdn: CFString, _ account: CFString, _ password: CFString?, _ completionHandler: @escaping (CFError?) -> Void
) {
    let answer = OnceCalled(body: completionHandler)
    DispatchQueue.global().async { answer.body(noAssociations) }
}

/// Calls back with `errSecUnimplemented` and nothing found, on a queue of the system.
@available(
    *, deprecated, message: "There are no shared web credentials here; Apple's replacement is AuthenticationServices."
)
public func SecRequestSharedWebCredential(
    _ fqdn: CFString?, _ account: CFString?, _ completionHandler: @escaping (CFArray?, CFError?) -> Void
) {
    let answer = OnceCalled(body: { completionHandler(nil, $0) })
    DispatchQueue.global().async { answer.body(noAssociations) }
}

/// Returns a random password of four groups of three letters and digits, with hyphens in between: more than 68 bits.
/// Each group holds a capital, a small letter and a digit, and no characters that look like others.
@discardableResult
public func SecCreateSharedWebCredentialPassword() -> CFString? {
    while true {
        let characters = (0..<12).map { _ in randomCharacter() }
        let isMixed =
            characters.contains(where: \.isUppercase) && characters.contains(where: \.isLowercase)
            && characters.contains(where: \.isNumber)
        guard isMixed else { continue }
        let groups = stride(from: 0, to: 12, by: 3).map { String(characters[$0..<$0 + 3]) }
        return NSString(string: groups.joined(separator: "-"))
    }
}

private let alphabet = Array("ABCDEFGHJKLMNPQRSTUVWXYZabcdefghkmnopqrstuvwxy3456789")

/// Returns each character with the same probability: bytes that do not divide evenly are discarded.
private func randomCharacter() -> Character {
    let limit = 256 - 256 % alphabet.count
    while true {
        let byte = Int(SystemEntropy().bytes(1)[0])
        if byte < limit { return alphabet[byte % alphabet.count] }
    }
}

private var noAssociations: NSError {
    .status(errSecUnimplemented, reason: "Shared web credentials are not supported: there are no associated web sites.")
}
