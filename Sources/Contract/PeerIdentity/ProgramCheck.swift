import Dispatch
import LatchkeyCodeSignature
import LatchkeyThreading

/// A check of programs' signatures that caches its results by the identity of the file.
///
/// A program without a signature is not hashed, unless it could have a detached one.
package final class ProgramCheck: Sendable {
    private struct Entry {
        let finding: ProgramFinding
        /// The state of the detached signatures when it was made.
        let signatures: DetachedSignatures.State
        var lastUse: UInt64
    }

    private struct Cache {
        var entries: [FileIdentity: Entry] = [:]
        var uses: UInt64 = 0
    }

    private let signatures: DetachedSignatures
    private let capacity: Int
    private let now: @Sendable () -> Int64
    private let cache = ForkMutex(Cache())
    /// Limits the programs that are read at the same time: each takes a processor.
    private let turns = DispatchSemaphore(value: 2)
    private let reads = ForkMutex(0)

    /// A write this soon after another change may get the same time.
    static let restlessNanoseconds: Int64 = 1_000_000_000
    /// The number of times that a file is read if it changes meanwhile.
    private static let attemptLimit = 3

    /// - Parameters:
    ///   - detachedDirectories: the directories of detached signatures; they need not exist.
    ///   - now: nanoseconds since 1970.
    package init(
        detachedDirectories: [String] = [], capacity: Int = 256,
        now: @escaping @Sendable () -> Int64 = { FileIdentity.wallTime() }
    ) {
        signatures = DetachedSignatures(directories: detachedDirectories)
        self.capacity = capacity
        self.now = now
    }

    /// Returns the finding on the program's file. Reads all of the file if it is new and may be signed: on the caller's
    /// thread.
    package func finding(on program: OpenExecutable) -> ProgramFinding {
        let state = signatures.state()
        if let identity = program.identityNow(), let known = known(identity, state) { return known }
        turns.wait()
        defer { turns.signal() }
        // Another thread may have read it while this one waited.
        if let identity = program.identityNow(), let known = known(identity, state) { return known }
        var attemptsLeft = Self.attemptLimit
        while true {
            attemptsLeft -= 1
            let finding = read(program, state)
            guard program.identityNow() == finding.identity else {
                guard attemptsLeft > 0 else { return changing(finding.identity) }
                continue
            }
            keep(finding, state)
            return finding
        }
    }

    /// The number of files that were read; for tests and measurements.
    package var readCount: Int { reads.withLock { $0 } }
    package var entryCount: Int { cache.withLock { $0.entries.count } }

    private func known(_ identity: FileIdentity, _ state: DetachedSignatures.State) -> ProgramFinding? {
        cache.withLock { cache in
            guard let entry = cache.entries[identity], entry.signatures == state else { return nil }
            cache.uses += 1
            cache.entries[identity]?.lastUse = cache.uses
            return entry.finding
        }
    }

    private func keep(_ finding: ProgramFinding, _ state: DetachedSignatures.State) {
        let now = now()
        let isRestless = { (time: Int64) in now &- time < Self.restlessNanoseconds }
        guard !isRestless(finding.identity.changed), !state.changeTimes.contains(where: isRestless) else { return }
        cache.withLock { cache in
            cache.uses += 1
            cache.entries[finding.identity] = Entry(finding: finding, signatures: state, lastUse: cache.uses)
            guard cache.entries.count > capacity else { return }
            let oldest = cache.entries.min { $0.value.lastUse < $1.value.lastUse }
            if let oldest { cache.entries[oldest.key] = nil }
        }
    }

    private func read(_ program: OpenExecutable, _ state: DetachedSignatures.State) -> ProgramFinding {
        reads.withLock { $0 += 1 }
        let identity = program.identityNow() ?? program.identity
        guard program.isReadable else {
            return ProgramFinding(identity: identity, signature: .none, digest: nil, loadsSystemFilesOnly: false)
        }
        return program.withDescriptor { read($0, identity, state) }
    }

    private func read(
        _ descriptor: Int32, _ identity: FileIdentity, _ state: DetachedSignatures.State
    ) -> ProgramFinding {
        var digest: [UInt8]?
        do throws(SignatureFailure) {
            let image = try ExecutableImage(descriptor: descriptor)
            let embedded: Result<ProgramSignature?, SignatureFailure>
            do throws(SignatureFailure) {
                embedded = .success(try image.embeddedSignature())
            } catch {
                embedded = .failure(error)
            }
            if case .success(nil) = embedded, signatures.isEmpty(state) {
                return ProgramFinding(identity: identity, signature: .none, digest: nil, loadsSystemFilesOnly: false)
            }
            let known = try image.digest()
            digest = known
            guard let signature = try signature(embedded.get(), for: known, kind: image.kind) else {
                return ProgramFinding(identity: identity, signature: .none, digest: known, loadsSystemFilesOnly: false)
            }
            try signature.check(digest: known)
            return ProgramFinding(
                identity: identity, signature: .valid(signature), digest: known,
                loadsSystemFilesOnly: image.kind == .elf
                    && SystemFiles.areSafe(runPaths: image.runPaths, loadPaths: image.loadPaths))
        } catch {
            return ProgramFinding(
                identity: identity, signature: .refused(error), digest: digest, loadsSystemFilesOnly: false)
        }
    }

    /// Returns the single signature of a program, embedded or detached.
    private func signature(
        _ embedded: ProgramSignature?, for digest: [UInt8], kind: ExecutableImage.Kind
    ) throws(SignatureFailure) -> ProgramSignature? {
        let detached = try signatures.signatures(for: digest)
        if !detached.isEmpty, kind == .script { throw .script }
        guard let first = embedded ?? detached.first else { return nil }
        // With signatures for different applications, it is unclear which one counts.
        let others = detached.filter { $0.statement.application != first.statement.application || $0.key != first.key }
        guard others.isEmpty else { throw .twoSignatures }
        return first
    }

    private func changing(_ identity: FileIdentity) -> ProgramFinding {
        ProgramFinding(
            identity: identity, signature: .refused(.unreadable("it is being changed")), digest: nil,
            loadsSystemFilesOnly: false)
    }
}
