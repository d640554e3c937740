@testable import LatchkeySyncCore

/// The rules of Docs/Design/027-sync.md as they are written, without caches and without care for speed: the second opinion on ``StatementGraph``.
struct ReferenceMembership {
    let library: StatementLibrary
    /// Contains the past of each of its statements.
    let set: [Int]

    private func entry(_ statement: Int) -> StatementLibrary.Entry { library.entries[statement] }

    private func knows(_ later: Int, _ earlier: Int) -> Bool { entry(later).past.contains(earlier) }

    /// Returns the valid removals of a device, and its own `leave`.
    private func ends(_ device: Int, onlyRemovals: Bool = false) -> [Int] {
        set.filter { statement in
            switch entry(statement).deed {
            case .remove(let removed, _): removed == device
            case .leave: !onlyRemovals && entry(statement).author == .device(device)
            default: false
            }
        }
    }

    /// Rule 2.
    var departed: Set<Int> {
        Set(
            set.compactMap { statement in
                switch (entry(statement).deed, entry(statement).author) {
                case (.remove(let device, _), _): device
                case (.leave, .device(let device)): device
                default: nil
                }
            })
    }

    /// Rule 3. The first pass ignores replacements of recovery keys.
    func isVoid(_ statement: Int, firstPass: Bool = false) -> Bool {
        guard statement != 0 else { return false }
        let own = entry(statement)
        switch own.author {
        case .device(let device):
            if ends(device).contains(where: { !knows($0, statement) && $0 != statement }) { return true }
            let admissions = own.past.filter { entry($0).admitted == device }
            return !admissions.contains { !isVoid($0, firstPass: firstPass) }
        case .recovery(let keys):
            if let owner = entry(own.keySetter).keyOwner,
                ends(owner, onlyRemovals: true).contains(where: { !knows($0, statement) })
            {
                return true
            }
            if isVoid(own.keySetter, firstPass: firstPass) { return true }
            return !firstPass && set.contains { isReplacement($0, of: keys, unseenBy: statement) }
        }
    }

    private func isReplacement(_ other: Int, of keys: Int, unseenBy statement: Int) -> Bool {
        guard other != 0, other != statement, let newKeys = entry(other).newKeys, newKeys != keys,
            entry(entry(other).keySetter).newKeys == keys
        else { return false }
        return !knows(statement, other) && !knows(other, statement) && !isVoid(other, firstPass: true)
    }

    /// Rule 4.
    var members: Set<Int> {
        let admitted = set.compactMap { statement in
            entry(statement).admitted.flatMap { isVoid(statement) ? nil : $0 }
        }
        return Set(admitted).subtracting(departed)
    }

    /// Rule 4: the statement that set the current recovery keys.
    var keySetter: Int {
        let standing = set.filter { statement in
            guard entry(statement).newKeys != nil, !isVoid(statement) else { return false }
            guard let owner = entry(statement).keyOwner else { return true }
            return ends(owner, onlyRemovals: true).isEmpty
        }
        return standing.max { left, right in
            let (left, right) = (entry(left), entry(right))
            return left.depth != right.depth ? left.depth < right.depth : right.verified.hash < left.verified.hash
        } ?? 0
    }

    /// Rule 5.
    var writingEpoch: Int? {
        let removed = departed
        let candidates = set.filter { statement in
            guard entry(statement).hasEpoch, !isVoid(statement) else { return false }
            return recipients(of: statement).isDisjoint(with: removed)
        }
        return candidates.max { left, right in
            let (left, right) = (entry(left), entry(right))
            return left.epochNumber != right.epochNumber
                ? left.epochNumber < right.epochNumber : right.verified.hash < left.verified.hash
        }
    }

    func recipients(of epoch: Int) -> Set<Int> {
        Set(set.filter { entry($0).sharedEpoch == epoch }.flatMap { entry($0).recipients })
    }

    /// Rule 1 for a statement whose past is the set.
    func allows(_ author: Writer, _ deed: Deed) -> Bool {
        switch author {
        case .device(let device):
            guard members.contains(device) else { return false }
        case .recovery(let keys):
            guard entry(keySetter).newKeys == keys else { return false }
        }
        switch deed {
        case .found: return false
        case .admit(let device): return !departed.contains(device)
        case .remove(let device, _):
            return author != .device(device) && set.contains { entry($0).admitted == device }
        case .share(let epoch, _): return set.contains(epoch)
        case .leave, .epoch, .recovery, .settings: return true
        }
    }
}
