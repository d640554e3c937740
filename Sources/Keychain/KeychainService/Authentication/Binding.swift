import LatchkeyAccessControl
import LatchkeyEnclaveCore
import LatchkeyItemModel
import LatchkeyKeybag

extension KeychainService {
    /// The protection as an item keeps it: what is decided when an item is added is decided, above all the enrolment
    /// set.
    func bound(_ protection: ItemProtection) throws -> ItemProtection {
        guard ItemProtection.hasConditions(protection.accessControl) else { return protection }
        switch enclave.perform(.context(.bind(accessControl: protection.accessControl))) {
        case .context(.bound(let serialised)):
            return ItemProtection(accessible: protection.accessible, serialised: serialised)
        case .context(.notBound(.passcodeNotSet?))
        where protection.accessible == Protection.whenPasscodeSetThisDeviceOnly.rawValue:
            throw CallFailure.classKeyMissing(.whenPasscodeSetThisDeviceOnly)
        case .context(.notBound(let rule?)):
            throw AuthenticationFailure(rule)
        case .context(.notBound(nil)):
            throw CallFailure(
                .param, "bad-access-control", "The access control cannot be used for an item.",
                advice: "Make it with SecAccessControlCreateWithFlags.")
        case .refused(let refusal): throw CallFailure.enclave(refusal)
        default: throw CallFailure.enclave(.malformed(reason: "another answer than a bound access control"))
        }
    }
}
