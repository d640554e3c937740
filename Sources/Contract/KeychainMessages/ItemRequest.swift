package import LatchkeyItemModel
package import LatchkeyPropertyListDER
package import LatchkeySecretMemory

package enum ItemOperation: Int64, Sendable, CaseIterable {
    case add = 1
    case find = 2
    case update = 3
    case delete = 4
}

/// One of the four `SecItem` calls. `v_Data` in the dictionaries is `.secret(index)` into `secrets`.
package struct ItemRequest: Sendable {
    package var operation: ItemOperation
    package var query: [QueryPair]
    /// The second dictionary of an update.
    package var changes: [QueryPair]
    /// False if the caller gave no place for the result.
    package var wantsResult: Bool
    package var secrets: [SecretBox]
    /// How to ask a person; nil for the usual way without a context of the program's own.
    package var interaction: Interaction?
    /// Set by the owner's tool to act in another program's group; needs the device passcode, each time.
    package var owner: OwnerAuthority?

    package init(
        operation: ItemOperation, query: [QueryPair], changes: [QueryPair] = [], wantsResult: Bool,
        secrets: [SecretBox] = [], interaction: Interaction? = nil, owner: OwnerAuthority? = nil
    ) {
        self.operation = operation
        self.query = query
        self.changes = changes
        self.wantsResult = wantsResult
        self.secrets = secrets
        self.interaction = interaction
        self.owner = owner
    }
}

/// The device owner acting in an access group that is not the tool's own. `*` names all groups.
package struct OwnerAuthority: Sendable {
    package let accessGroup: String
    package let passcode: SecretBox

    package init(accessGroup: String, passcode: SecretBox) {
        self.accessGroup = accessGroup
        self.passcode = passcode
    }
}

/// Why a call was refused, for people: `latchkey explain` shows it. Holds no values and no secrets.
package struct Refusal: Sendable, Hashable {
    /// Stable name of the rule, documented in `Docs/RefusalRules.md`, for instance `class-key-locked`. Empty where no
    /// rule refused.
    package let ruleName: String
    /// The cause: one sentence on what happened and why.
    package let reason: String
    /// The remedy, one sentence.
    package let advice: String

    package init(rule: Rule, reason: String, advice: String) {
        self.init(ruleName: rule.rawValue, reason: reason, advice: advice)
    }

    /// With the name of a rule from elsewhere: a message, a file, or a module that has names of its own.
    package init(ruleName: String, reason: String, advice: String) {
        self.ruleName = ruleName
        self.reason = reason
        self.advice = advice
    }

    /// Words for a failure that is not a rule's.
    package static func withoutRule(reason: String) -> Refusal {
        Refusal(ruleName: "", reason: reason, advice: "")
    }

    /// Nil where there is none, or where only a newer version knows it.
    package var rule: Rule? { Rule(rawValue: ruleName) }

    /// The same with other advice.
    package func advising(_ advice: String) -> Refusal {
        Refusal(ruleName: ruleName, reason: reason, advice: advice)
    }
}

/// The answer to an ``ItemRequest``. `v_Data` in the result, and a result that is data, are `.secret(index)` into `secrets`.
package struct ItemReply: Sendable {
    package var code: ResultCode
    /// Nil where the call leaves the caller's result as nil.
    package var result: PropertyValue?
    package var secrets: [SecretBox]
    package var refusal: Refusal?
    /// How many rows an add, update or delete changed. Of a find: how many items it left out because they ask for a
    /// person, where the query skips those.
    package var affectedRows: Int

    package init(
        code: ResultCode, result: PropertyValue? = nil, secrets: [SecretBox] = [], refusal: Refusal? = nil,
        affectedRows: Int = 0
    ) {
        self.code = code
        self.result = result
        self.secrets = secrets
        self.refusal = refusal
        self.affectedRows = affectedRows
    }
}
