package import LatchkeyEnclaveContract
internal import LatchkeyItemModel
package import LatchkeyKeychainMessages
internal import LatchkeyKeychainService
internal import LatchkeyPropertyListDER

/// The versions that lost. They stay when the device leaves its circle.
extension CircleService {
    package func answer(_ question: ListConflicts) throws(CircleFailure) -> [ConflictReport] {
        do throws(CallFailure) {
            return try parts.items.conflicts.list().map(ConflictReport.init)
        } catch {
            throw CircleFailure(error)
        }
    }

    package func answer(_ question: RestoreConflict) throws(CircleFailure) -> Done {
        do throws(ConflictFailure) {
            try parts.items.conflicts.restore(question.conflict)
        } catch {
            switch error {
            case .unknown: throw CircleFailure(.itemNotFound, Refusal(.syncNoConflict))
            case .locked: throw CircleFailure.locked
            case .failed(let failure): throw CircleFailure(failure)
            }
        }
        return Done()
    }
}

extension ConflictReport {
    fileprivate init(_ conflict: KeptConflict) {
        var attributes: [String: String] = [:]
        for (name, value) in conflict.attributes ?? [:] { attributes[name.rawValue] = value.shown }
        let reason: Reason =
            switch conflict.reason {
            case .overruled: .overruled
            case .deleted: .deleted
            case .joined: .joined
            case .replaced: .replaced
            }
        self.init(
            number: conflict.number, itemClass: conflict.itemClass.rawValue, group: conflict.accessGroup,
            reason: reason, kept: conflict.kept, attributes: attributes, modified: conflict.modified,
            device: conflict.device)
    }
}

extension PropertyValue {
    /// The value for people.
    fileprivate var shown: String {
        switch self {
        case .string(let text): text
        case .integer(let number): String(number)
        case .data(let bytes): String(validating: bytes, as: UTF8.self) ?? "(\(bytes.count) bytes)"
        default: "?"
        }
    }
}
