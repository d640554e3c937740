import LatchkeyAccessControl
import LatchkeyEnclaveCore
import LatchkeyItemModel
import LatchkeyKeybag

extension KeychainService {
    /// The access control as an item keeps it: what is decided when an item is added is decided, above all the enrolment
    /// set.
    func bound(_ accessControl: AccessControl) throws -> AccessControl {
        guard accessControl.isConstrained else { return accessControl }
        switch enclave.perform(.context(.bind(accessControl: accessControl))) {
        case .context(.bound(let bound)): return bound
        case .context(.notBound(.passcodeNotSet?))
        where accessControl.protection == .whenPasscodeSetThisDeviceOnly:
            throw CallFailure.classKeyMissing(.whenPasscodeSetThisDeviceOnly)
        case .context(.notBound(let rule?)):
            throw AuthenticationFailure(rule)
        case .context(.notBound(nil)):
            throw CallFailure(.badAccessControl)
        case .refused(let refusal): throw CallFailure.enclave(refusal)
        default: throw CallFailure.enclave(.malformed(reason: "another answer than a bound access control"))
        }
    }
}
