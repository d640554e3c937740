/// The authentication factors that a user can still prove.
package struct AuthenticationFactors: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    package static let match = AuthenticationFactors(rawValue: 1)
    package static let passcode = AuthenticationFactors(rawValue: 2)
    package static let applicationPassword = AuthenticationFactors(rawValue: 4)
}
