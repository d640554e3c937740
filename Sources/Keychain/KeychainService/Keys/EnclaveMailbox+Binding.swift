import LatchkeyAccessControl
import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeybag

extension EnclaveMailbox {
    /// Returns the access control as an item keeps it: with everything that is decided when an item is added, above all
    /// the enrolment set.
    func bound(_ accessControl: AccessControl) throws(Setback) -> AccessControl {
        guard accessControl.isConstrained else { return accessControl }
        switch try answer(to: BindAccessControl(accessControl)) {
        case .bound(let bound): return bound
        case .notBound(.passcodeNotSet?)
        where accessControl.protection == .whenPasscodeSetThisDeviceOnly:
            throw .call(.classKeyMissing(.whenPasscodeSetThisDeviceOnly))
        case .notBound(let rule?):
            throw .authentication(AuthenticationFailure(rule))
        case .notBound(nil):
            throw .call(CallFailure(.badAccessControl))
        }
    }
}
