import LatchkeyEnclaveContract
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyKeybag
import LatchkeyKeychainMessages

/// An obstacle between a call and its result: permanent, until the user has authenticated, or until the call starts
/// again.
///
/// The error type of this service's functions. Errors of other modules become a setback where they enter: those of the
/// database at ``ItemStore`` and ``onDisk(_:)``, those of a dictionary at ``grammatical(_:)``, those of the enclave at
/// ``EnclaveMailbox/answer(to:)``. ``CallFailure`` puts a setback into the words of a reply.
enum Setback: Error {
    /// The call has failed.
    case call(CallFailure)
    /// The user's authentication failed.
    case authentication(AuthenticationFailure)
    /// The user has to authenticate first.
    indirect case need(AuthenticationRequirement)
    /// A dictionary breaks a rule of the grammar.
    case query(QueryRefusal)
    /// A key was not opened or made.
    case key(KeyRefusal)
    case database(ItemDatabaseFailure)
    /// The keys of a row were made under the class key of a passcode that is no longer set.
    case formerPasscodeKeys

    /// Wraps an error from a function without typed errors, above all a transaction: a setback of this service, or a
    /// failure of the database.
    init(_ error: any Error) {
        switch error {
        case let setback as Setback: self = setback
        case let failure as CallFailure: self = .call(failure)
        case let failure as AuthenticationFailure: self = .authentication(failure)
        case let refusal as QueryRefusal: self = .query(refusal)
        case let refusal as KeyRefusal: self = .key(refusal)
        default: self = .database(.from(error))
        }
    }
}

extension CallFailure {
    init(_ setback: Setback) {
        switch setback {
        case .call(let failure): self = failure
        case .authentication(let failure): self = failure.callFailure
        case .need: self = AuthenticationFailure.notInteractive.callFailure
        case .query(let refusal): self.init(refusal)
        case .key(let refusal): self = refusal == .locked ? .locked(.whenUnlocked) : .keyDamaged
        case .database(let failure): self.init(failure)
        case .formerPasscodeKeys: self = .classKeyMissing(PasscodeItems.keyClass)
        }
    }
}

extension Setback {
    static func call(_ code: ResultCode, _ rule: Rule, _ values: any CustomStringConvertible...) -> Setback {
        .call(CallFailure(code, Refusal(filled: rule.text.filled(with: values))))
    }

    static func call(_ code: ResultCode, as occasion: Rule.Occasion, _ values: any CustomStringConvertible...)
        -> Setback
    {
        .call(CallFailure(code, Refusal(filled: occasion.text.filled(with: values))))
    }
}

/// Runs a statement inside of a transaction; a failure of the database becomes a setback.
func onDisk<Value>(_ body: @autoclosure () throws(ItemDatabaseFailure) -> Value) throws(Setback) -> Value {
    do throws(ItemDatabaseFailure) {
        return try body()
    } catch {
        throw .database(error)
    }
}

/// Parses a dictionary by the grammar; a refusal becomes a setback.
func grammatical<Value>(_ body: @autoclosure () throws(QueryRefusal) -> Value) throws(Setback) -> Value {
    do throws(QueryRefusal) {
        return try body()
    } catch {
        throw .query(error)
    }
}

extension Result where Failure == KeyRefusal {
    /// Returns the keys that the enclave made; a refusal becomes a setback.
    func made() throws(Setback) -> Success {
        switch self {
        case .success(let keys): return keys
        case .failure(let refusal): throw .key(refusal)
        }
    }
}
