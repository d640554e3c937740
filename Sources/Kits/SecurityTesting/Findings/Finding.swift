/// A remark of a security review about one call of the keychain or of `CommonCrypto`, or about a protected file.
public struct Finding: Sendable, Hashable, CustomStringConvertible {
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// An item was added without saying when it may be read.
        case noProtectionClass = "no-protection-class"
        /// An item that may be read while the device is locked, from the first second on.
        case alwaysReadable = "always-readable"
        /// A delete or an update that changed more than one item.
        case severalItemsChanged = "several-items-changed"
        /// A secret longer than a keychain item should be.
        case oversizedSecret = "oversized-secret"
        /// An item of a class that does not exist now: it needs a passcode, and there is none.
        case classDoesNotExist = "class-does-not-exist"
        /// A policy was evaluated, and the secret that the app read then has no conditions of its own.
        case evaluationGuardsSecret = "evaluation-guards-secret"
        /// An item of high value that every finger enrolled later opens.
        case anyBiometry = "any-biometry"
        /// The user was prompted without a reason.
        case noReason = "no-reason"
        /// An unlock of the device counts as an evaluation for as long as the system allows.
        case longestReuse = "longest-reuse"

        /// A synchronizable item of a class that never leaves the device.
        case synchronizableThisDeviceOnly = "synchronizable-this-device-only"
        /// A synchronizable item was added without saying when it may be read.
        case synchronizableWithoutClass = "synchronizable-without-class"
        /// A synchronizable item whose name says that it is about one device.
        case deviceIdentifierSynchronizable = "device-identifier-synchronizable"
        /// A search, an update or a delete that does not name `kSecAttrSynchronizable`, and passes over synchronizable items that fit.
        case synchronizableOverlooked = "synchronizable-overlooked"
        /// An app wrote to an item that another device had changed since the app read it. Found in a ``SyncLaboratory``.
        case assumesItemUnchanged = "assumes-item-unchanged"
        /// A delete with `kSecMatchLimitAll`, which iOS refuses.
        case limitInDelete = "limit-in-delete"
        /// A search for one item that several items fit.
        case oneOfSeveral = "one-of-several"
        /// A key was stored under a name that another key has.
        case severalKeysUnderOneName = "several-keys-under-one-name"
        /// An item was added without naming its group, by an app that has several.
        case noAccessGroup = "no-access-group"

        // Files

        /// A file that is stored in clear: in ``VirtualFiles/directory``, or anywhere if Foundation was given a class for it.
        case fileWithoutClass = "file-without-class"
        /// A file of class A that the app keeps open, or uses, while the device is locked.
        case openWhileLocked = "open-while-locked"
        /// A journal of a protected SQLite database that is in clear, or has a weaker class.
        case unprotectedJournal = "unprotected-journal"

        // CommonCrypto. The names are those of the log (Docs/Manual/Misuse.md).

        /// Equal blocks of a message stay equal.
        case ecb = "ecb"
        /// DES, RC4, RC2, or 3DES with a key that makes it DES.
        case deadCipher = "dead-cipher"
        /// CBC without an IV, or with one of zeros.
        case missingIV = "missing-iv"
        /// Two messages were encrypted with the same key and IV.
        case repeatedIV = "repeated-iv"
        /// Two messages in CTR, with the same key, whose counters run into each other.
        case overlappingCounters = "overlapping-counters"
        /// XTS with two equal keys, or with keys of 24 bytes.
        case unitKeys = "unit-keys"
        /// A key that is readable text.
        case textKey = "text-key"
        /// A key of an authentication code that is readable text.
        case textHMACKey = "text-hmac-key"
        /// A key shorter than the algorithm's, or one that was filled up with zeros.
        case shortKey = "short-key"
        /// MD2, MD4, MD5 or SHA-1 of a secret, or such a digest as a key.
        case weakDigest = "weak-digest"
        /// PBKDF2 with HMAC-SHA-1.
        case derivationWithSHA1 = "derivation-with-sha1"
        /// PBKDF2 with so few rounds that passwords can be tried out.
        case fewRounds = "few-rounds"
        /// PBKDF2 with a salt of less than 16 bytes, or none.
        case shortSalt = "short-salt"
        /// A CBC ciphertext that nothing protects from change.
        case cbcWithoutAuthentication = "cbc-without-authentication"
        /// An authentication code or a decrypted secret was compared with `memcmp` or `==`.
        case variableTimeComparison = "variable-time-comparison"
    }

    public let kind: Kind
    public let call: Call
    /// The application identifier of the app; empty for what was found by looking at files, whose writer is not known.
    public let applicationIdentifier: String
    /// The file, if the finding is about one: its path below ``VirtualFiles/directory``, or from the root.
    public let path: String?
    /// Where the app's code made the call, nil if that cannot be found out.
    public let callSite: CallSite?
    /// The flaw.
    public let reason: String
    /// Advice on the code to write instead.
    public let advice: String

    public var description: String {
        let place = callSite.map { "\($0): " } ?? ""
        let call = applicationIdentifier.isEmpty ? "" : "\(call.rawValue) by \(applicationIdentifier): "
        let file = path.map { "\($0): " } ?? ""
        return "\(place)\(call)\(file)\(reason) \(advice) [\(kind.rawValue)]"
    }
}

/// A finding whose place has not been looked up yet.
struct Observation: Sendable {
    let flaw: Flaw
    let app: String
    var path: String?
    let place: CapturedCall

    var finding: Finding {
        Finding(
            kind: flaw.kind, call: flaw.call, applicationIdentifier: app, path: path,
            callSite: app.isEmpty ? nil : place.callSite, reason: flaw.reason, advice: flaw.advice)
    }
}

extension VirtualDevice {
    /// The remarks of a security review about the calls made so far, in their order.
    ///
    /// A ciphertext of CBC is in it as long as no authentication code over it was computed: look when the app is done.
    ///
    /// Those about what is stored in ``files`` come last. Every file there is opened for a moment, which ends the locks of
    /// `fcntl` that this process has on it. After ``close()`` they are those of the last moment before.
    ///
    /// Looking up the call sites takes a moment the first time.
    public var findings: [Finding] {
        (calls.observations + calls.crypto.observations).sorted { $0.place.number < $1.place.number }.map(\.finding)
            + storedFileFindings
    }

    /// Without the files in clear whose writing was seen.
    var storedFileFindings: [Finding] {
        let seen = Set(calls.observations.filter { $0.flaw.kind == .fileWithoutClass }.compactMap(\.path))
        return fileReview.findings.filter { $0.kind != .fileWithoutClass || !seen.contains($0.path ?? "") }
    }

    /// Starts over with ``findings``. Files that were found stay as they are and are not found again, until they change.
    public func forgetFindings() {
        calls.forget()
        fileReview.forget()
    }
}
