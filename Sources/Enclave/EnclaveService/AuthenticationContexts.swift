import LatchkeyAccessControl
import LatchkeyCryptoSuite
import LatchkeyEnclaveContract
import LatchkeyEncoding
import LatchkeySecretMemory
import LatchkeyThreading

/// The open authentication contexts and their evidence.
final class AuthenticationContexts: Sendable {
    private struct Context {
        var passcodeUptime: Uptime?
        var match: Evidence.Match?
        /// The era of the device in which passcode and match were given.
        var era: UInt64
        var reuseSeconds: Double = 0
        var passwordKey: SecretBox?
        var lastUse: Uptime
    }

    /// The state of a context at one time.
    struct ContextState {
        var evidence: Evidence
        var passwordKey: SecretBox?

        static let none = ContextState(evidence: .none, passwordKey: nil)
    }

    /// The state of the device on which a context's state depends.
    struct Moment {
        var era: UInt64
        var uptime: Uptime
        var fingerUnlock: Evidence.Match?
    }

    /// A daemon may end without closing its contexts. If there are too many contexts, those idle for longer are
    /// removed.
    private static let idleSeconds: Double = 24 * 3600

    private let contexts = ForkMutex<[ContextIdentifier: Context]>([:])

    /// Opens a context; returns nil if too many are open.
    func open(era: UInt64, uptime: Uptime, entropy: any Entropy) -> ContextIdentifier? {
        guard let identifier = ContextIdentifier(entropy.bytes(ContextIdentifier.byteCount)) else { return nil }
        return contexts.withLock { contexts in
            if contexts.count >= EnclaveLimits.contexts {
                contexts = contexts.filter { uptime - $0.value.lastUse < Self.idleSeconds }
            }
            guard contexts.count < EnclaveLimits.contexts else { return nil }
            contexts[identifier] = Context(era: era, lastUse: uptime)
            return identifier
        }
    }

    /// Returns false if the context does not exist.
    func close(_ identifier: ContextIdentifier) -> Bool {
        contexts.withLock { $0.removeValue(forKey: identifier) != nil }
    }

    var count: Int { contexts.withLock { $0.count } }

    func isOpen(_ identifier: ContextIdentifier) -> Bool {
        contexts.withLock { $0[identifier] != nil }
    }

    /// Returns nil if the context does not exist.
    func contextState(of identifier: ContextIdentifier, at moment: Moment) -> ContextState? {
        contexts.withLock { contexts in
            guard let index = contexts.index(forKey: identifier) else { return nil }
            contexts.values[index].lastUse = moment.uptime
            let context = contexts.values[index]
            let isOfEra = context.era == moment.era
            var match = isOfEra ? context.match : nil
            if let unlock = moment.fingerUnlock, context.reuseSeconds > 0, match?.uptime ?? -1 < unlock.uptime,
                moment.uptime - unlock.uptime <= context.reuseSeconds
            {
                match = unlock
            }
            return ContextState(
                evidence: Evidence(
                    passcodeUptime: isOfEra ? context.passcodeUptime : nil, match: match,
                    hasApplicationPassword: context.passwordKey != nil),
                passwordKey: context.passwordKey)
        }
    }

    /// Adds evidence that was given in an era. Returns false if the context does not exist any more.
    func add(
        passcodeUptime: Uptime? = nil, match: Evidence.Match? = nil, era: UInt64, to identifier: ContextIdentifier
    ) -> Bool {
        change(identifier) { context in
            guard context.era <= era else { return }
            if context.era < era {
                context.passcodeUptime = nil
                context.match = nil
                context.era = era
            }
            if let passcodeUptime { context.passcodeUptime = passcodeUptime }
            if let match { context.match = match }
        }
    }

    func allowReuse(seconds: Double, in identifier: ContextIdentifier) -> Bool {
        change(identifier) { $0.reuseSeconds = min(max(0, seconds), EnclaveLimits.reuseSeconds) }
    }

    func setPasswordKey(_ key: SecretBox?, in identifier: ContextIdentifier) -> Bool {
        change(identifier) { $0.passwordKey = key }
    }

    /// Removes the evidence of all contexts after a restart or an erasure of the device. The contexts stay open.
    func forgetEverything() {
        contexts.withLock { contexts in
            for index in contexts.values.indices {
                contexts.values[index].passcodeUptime = nil
                contexts.values[index].match = nil
                contexts.values[index].passwordKey = nil
            }
        }
    }

    private func change(_ identifier: ContextIdentifier, _ change: (inout Context) -> Void) -> Bool {
        contexts.withLock { contexts in
            guard let index = contexts.index(forKey: identifier) else { return false }
            change(&contexts.values[index])
            return true
        }
    }
}
