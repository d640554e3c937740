import LatchkeyPlainText

/// One thing that an installation needs: its state, what was found, and the command that fixes it.
package struct InstallationStep: Sendable, Equatable {
    package enum State: String, Sendable {
        case ok
        /// Promised by this kind of installation, and not there.
        case missing
        /// Not promised by this kind of installation, but worth knowing.
        case notice
    }

    package let name: String
    package let state: State
    package let found: String
    package let mend: String?

    package init(_ name: String, _ state: State, _ found: String, mend: String? = nil) {
        self.name = name
        self.state = state
        self.found = found
        self.mend = mend
    }

    /// A step that is either there or missing.
    package init(_ name: String, holds: Bool, _ found: String, mend: String) {
        self.init(name, holds ? .ok : .missing, found, mend: holds ? nil : mend)
    }

    var text: String {
        let mark =
            switch state {
            case .ok: "ok       "
            case .missing: "MISSING  "
            case .notice: "note     "
            }
        let line =
            mark + name + String(repeating: " ", count: max(1, 24 - name.count))
            + PlainText.escaped(found)
        return mend.map { line + "\n" + String(repeating: " ", count: 9) + "do: " + PlainText.escaped($0) } ?? line
    }

    var json: JSONValue {
        .object([
            ("step", .string(name)), ("state", .string(state.rawValue)), ("found", .string(found)),
            ("mend", mend.map(JSONValue.string) ?? .null),
        ])
    }
}
