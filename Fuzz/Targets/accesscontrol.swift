import LatchkeyAccessControl

/// A serialised access control, as an app may hand one in: what is accepted is its own serialisation's meaning.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeRawBufferPointer(start: start, count: count))
    guard let control = try? AccessControl(serialised: input) else { return 0 }
    let bytes = control.serialised
    guard let again = try? AccessControl(serialised: bytes) else { preconditionFailure("the own bytes are refused") }
    precondition(again.serialised == bytes, "the serialisation is not unique")
    evaluate(control)
    return 0
}

/// Evaluates an access control that was accepted. Without evidence, only operations without conditions are granted.
private func evaluate(_ control: AccessControl) {
    guard let set = EnrolmentSet([UInt8](repeating: 1, count: EnrolmentSet.byteCount)) else { return }
    let environment = DeviceEnvironment(hasPasscode: true, biometry: .usable(set))
    for operation in GuardedOperation.allCases {
        let verdict = control.verdict(for: operation, evidence: .none, environment: environment)
        let isOpen = operation == .delete || control.constraint(for: operation) == .always
        precondition(verdict != .granted || isOpen, "\(operation) is granted without evidence")
    }
    guard let bound = control.bound(to: set) else { preconditionFailure("with fingers enrolled it can be bound") }
    precondition(bound.isBound && (try? AccessControl(serialised: bound.serialised)) == bound)
}
