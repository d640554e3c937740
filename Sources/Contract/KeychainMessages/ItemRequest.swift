package import LatchkeyItemModel
package import LatchkeyPropertyListDER
package import LatchkeySecretMemory

package enum ItemOperation: Int64, Sendable, CaseIterable {
    case add = 1
    case find = 2
    case update = 3
    case delete = 4
}

/// One of the four `SecItem` calls. In the dictionaries, `v_Data` is `.secret(index)`, an index into `secrets`.
package struct ItemRequest: Sendable {
    package var operation: ItemOperation
    package var query: [QueryPair]
    /// The second dictionary of an update.
    package var changes: [QueryPair]
    /// False if the caller passed no pointer for the result.
    package var wantsResult: Bool
    package var secrets: [SecretBox]
    /// The settings for prompts; nil for the defaults, if the program passed no context of its own.
    package var interaction: Interaction?
    /// Set by the owner's tool to access another program's group. Requires the device passcode each time.
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

    /// True for a find of several items, whose answer may be larger than one message.
    package var mayFindMany: Bool {
        operation == .find
            && query.contains { pair in
                pair.key == .string("m_Limit") && pair.value != .string("m_LimitOne") && pair.value != .integer(1)
            }
    }
}

/// The device owner's authority for an access group that is not the tool's own. `*` means all groups.
package struct OwnerAuthority: Sendable {
    package let accessGroup: String
    package let passcode: SecretBox

    package init(accessGroup: String, passcode: SecretBox) {
        self.accessGroup = accessGroup
        self.passcode = passcode
    }
}

/// The reason why a call was refused, as `latchkey explain` shows it. It contains no attribute values and no secrets.
package struct Refusal: Sendable, Hashable {
    /// The stable name of the rule, for instance `class-key-locked`, documented in `Docs/RefusalRules.md`. Empty if the
    /// failure belongs to no rule.
    package let ruleName: String
    /// One sentence that says what happened and why.
    package let reason: String
    /// One sentence that says what to do.
    package let advice: String

    /// Creates a refusal from the texts of its rule and the values for their gaps.
    package init(_ rule: Rule, _ values: any CustomStringConvertible...) {
        self.init(filled: rule.text.filled(with: values))
    }

    /// Creates a refusal from a text that is more exact than the one of its rule.
    package init(as occasion: Rule.Occasion, _ values: any CustomStringConvertible...) {
        self.init(filled: occasion.text.filled(with: values))
    }

    /// Creates a refusal from a text without gaps.
    package init(filled text: RuleText) {
        self.init(ruleName: text.rule.rawValue, reason: text.reason, advice: text.advice)
    }

    /// Creates a refusal with a rule name from a message, a file, or a module that has names of its own.
    package init(ruleName: String, reason: String, advice: String) {
        self.ruleName = ruleName
        self.reason = reason
        self.advice = advice
    }

    /// Returns a refusal for a failure that belongs to no rule.
    package static func withoutRule(reason: String) -> Refusal {
        Refusal(ruleName: "", reason: reason, advice: "")
    }

    /// The rule; nil if there is none, or only a newer version knows it.
    package var rule: Rule? { Rule(rawValue: ruleName) }

    /// Returns the same refusal with other advice.
    package func advising(_ advice: String) -> Refusal {
        Refusal(ruleName: ruleName, reason: reason, advice: advice)
    }
}

/// The answer to an ``ItemRequest``. A result that is data, and `v_Data` in a result, are `.secret(index)`, an index
/// into `secrets`.
package struct ItemReply: Sendable {
    package var code: ResultCode
    /// Nil if the call does not set the caller's result.
    package var result: PropertyValue?
    package var secrets: [SecretBox]
    package var refusal: Refusal?
    /// The number of rows that an add, update or delete changed. For a find whose query skips items that require
    /// authentication, the number of items that were skipped.
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
