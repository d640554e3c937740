import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER

// Findings about items that travel between devices.

extension Review {
    static let synchronizableWithoutClass = Flaw(
        kind: .synchronizableWithoutClass, call: .add,
        reason:
            "The synchronizable item does not say when it may be read, so it gets kSecAttrAccessibleWhenUnlocked: a locked "
            + "device neither takes nor shows it.",
        advice:
            "Write kSecAttrAccessible: kSecAttrAccessibleWhenUnlocked, or kSecAttrAccessibleAfterFirstUnlock if the app needs "
            + "it in the background, on every device.")

    // MARK: Identifiers of devices

    /// Names of what belongs to one device, as words run together.
    private static let deviceNames: Set<String> = [
        "deviceid", "deviceidentifier", "deviceuuid", "deviceudid", "devicetoken", "devicekey", "udid", "uuidfordevice",
        "identifierforvendor", "idfv", "vendorid", "vendoridentifier", "installationid", "installationidentifier",
        "installid",
        "hardwareid", "machineid", "pushtoken", "apnstoken", "pushdevicetoken",
    ]

    /// A synchronizable item that is named after what each device has of its own.
    static func deviceIdentifier(
        _ written: [QueryPair], of request: ItemRequest, _ call: KeychainCall, _ reply: ItemReply
    ) -> Flaw? {
        guard reply.code == .success, request.isForSynchronizable,
            let name = written.lazy.compactMap(deviceName).first
        else { return nil }
        return Flaw(
            kind: .deviceIdentifierSynchronizable, call: call,
            reason:
                "The item is called \"\(name)\" and is synchronizable: all devices of the user will have the same one.",
            advice:
                "Leave kSecAttrSynchronizable out, and choose a class with ThisDeviceOnly, so that no backup brings it to another "
                + "device either.")
    }

    private static func deviceName(_ pair: QueryPair) -> String? {
        guard [.account, .service, .label, .description, .comment].contains(pair.name),
            case .string(let text) = pair.value
        else { return nil }
        let words = words(of: text)
        let isDevices = words.indices.contains { first in
            (first..<min(first + 4, words.count)).contains { deviceNames.contains(words[first...$0].joined()) }
        }
        return isDevices ? text : nil
    }

    /// Returns the words of a name in lower case: "com.example.deviceID" has four.
    private static func words(of text: String) -> [String] {
        var words = [""]
        var isAfterLower = false
        for character in text.prefix(256) {
            guard character.isLetter else {
                words.append("")
                isAfterLower = false
                continue
            }
            if isAfterLower && character.isUppercase { words.append("") }
            words[words.count - 1] += character.lowercased()
            isAfterLower = character.isLowercase
        }
        return words.filter { !$0.isEmpty }
    }

    // MARK: Items that are passed over

    /// A call that is about local items alone because it does not say otherwise, where synchronizable ones fit.
    static func synchronizableOverlooked(
        _ request: ItemRequest, _ reply: ItemReply, in keychain: any Keychain
    ) -> Flaw? {
        guard request.operation != .add, reply.code == .itemNotFound || reply.code == .success && !request.isFindOfOne,
            !request.query.contains(where: { $0.isSynchronizability || $0.isAbout(["v_", "u_Tomb"]) })
        else { return nil }
        let question =
            request.query.filter { !$0.isAbout(["r_", "m_Limit", "u_"]) } + [QueryPair(.synchronizable, .boolean(true))]
        guard references(question, limit: .integer(1), in: keychain) != [] else { return nil }
        let missed = request.operation == .find ? "does not find them" : "leaves them as they are"
        return Flaw(
            kind: .synchronizableOverlooked, call: KeychainCall(request.operation),
            reason:
                "Synchronizable items fit, and the call \(missed): without kSecAttrSynchronizable it is about local items alone.",
            advice: "Write kSecAttrSynchronizable: kSecAttrSynchronizableAny, or true for items that travel.")
    }

    /// Returns the persistent references of the items that a query finds, without a prompt.
    static func references(
        _ query: [QueryPair], limit: PropertyValue, in keychain: any Keychain
    ) -> [[UInt8]] {
        let question =
            query + [
                QueryPair("r_PersistentRef", .boolean(true)), QueryPair("m_Limit", limit),
                QueryPair("u_AuthUI", .string("u_AuthUIF")),
            ]
        let reply = keychain.perform(ItemRequest(operation: .find, query: question, wantsResult: true))
        switch (reply.code, reply.result) {
        case (.success, .data(let reference)?): return [reference]
        case (.success, .array(let found)?):
            return found.compactMap { if case .data(let reference) = $0 { reference } else { nil } }
        default: return []
        }
    }

    // MARK: Items that others changed

    static let assumesItemUnchanged = Flaw(
        kind: .assumesItemUnchanged, call: .update,
        reason:
            "Another device changed the item after the app had read it, and the app wrote to it without reading it again: the "
            + "change of the other device is overwritten everywhere.",
        advice:
            "Read the item right before writing it, and put both together; read again what is kept in memory when the app becomes "
            + "active.")
}

extension ItemRequest {
    /// True if the call is about items that travel, as far as it says so: the changes of an update win.
    var isForSynchronizable: Bool {
        (operation == .update ? changes + query : query).first(where: \.isSynchronizability)?.isTrue ?? false
    }

    /// True if the call may be about items that travel.
    var mayMeanSynchronizable: Bool {
        query.contains { $0.isSynchronizability && $0.value != .boolean(false) && $0.value != .integer(0) }
    }

    fileprivate var isFindOfOne: Bool { operation == .find && isForOne }
}
