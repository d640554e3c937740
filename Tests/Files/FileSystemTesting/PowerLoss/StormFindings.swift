/// The content that a storm may have left: the synchronized bytes, and of the batch that was cut off each byte old or
/// new.
enum StormFindings {
    /// Throws the first difference.
    /// - Parameters:
    ///   - plan: after the batches that were acknowledged.
    ///   - pending: the next batch, of which any part may be there.
    static func check(_ directory: TestDirectory, after plan: StormPlan, pending: StormPlan.Batch) throws {
        let names = try Set(directory.names())
        let known = Set((0..<StormPlan.fileCount).map(StormPlan.name) + [StormPlan.newName])
        try expect(names.isSubset(of: known), "unknown names: \(names.subtracting(known))")
        for file in 0..<StormPlan.fileCount {
            let name = StormPlan.name(file)
            let found = names.contains(name) ? try directory.contents(name) : nil
            if file == pending.file {
                try check(found, from: plan.files[file], pending.kind, "\(name), which was being written,")
            } else if let wanted = plan.files[file] {
                guard let found else { throw RuleMismatch("\(name) was synchronized and is missing") }
                try equal(bytes: found, wanted, "\(name), which was synchronized,")
            } else {
                try expect(found == nil, "\(name) was removed and is there")
            }
        }
        if names.contains(StormPlan.newName) { try checkNew(directory.contents(StormPlan.newName), pending) }
    }

    private static func check(
        _ found: [UInt8]?, from old: [UInt8]?, _ kind: StormPlan.Batch.Kind, _ name: String
    ) throws {
        guard let found else {
            // A name whose removal was under way, or that was not synchronized yet.
            if case .remove = kind { return }
            try expect(old == nil, "\(name) is missing")
            return
        }
        switch kind {
        case .remove:
            try equal(bytes: found, old ?? [], name)
        case .replace(let new):
            if found != new { try equal(bytes: found, old ?? [], "\(name) is not the new one:") }
        case .edit(let changes):
            try checkEdited(found, from: old ?? [], changes, name)
        }
    }

    /// The write-back of the kernel chooses the order: each byte by itself is old, or has the value of one of the
    /// writes.
    private static func checkEdited(
        _ found: [UInt8], from old: [UInt8], _ changes: [StormPlan.Batch.Change], _ name: String
    ) throws {
        var states = [old]
        for change in changes {
            var next = states[states.count - 1]
            StormPlan.apply(change, to: &next)
            states.append(next)
        }
        let sizes = states.map(\.count)
        let (smallest, largest) = (sizes.min() ?? 0, sizes.max() ?? 0)
        try expect(
            (smallest...largest).contains(found.count),
            "\(name) has \(found.count) bytes, not \(smallest) to \(largest)")
        for (index, byte) in found.enumerated() {
            // Behind a size that the file once had there may be a hole.
            let isHole = byte == 0 && index >= smallest
            guard isHole || states.contains(where: { index < $0.count && $0[index] == byte }) else {
                throw RuleMismatch("\(name) has at \(index) the byte \(byte), which is neither old nor new")
            }
        }
    }

    private static func checkNew(_ found: [UInt8], _ pending: StormPlan.Batch) throws {
        guard case .replace(let new) = pending.kind else {
            throw RuleMismatch("\(StormPlan.newName) is there although its renaming was synchronized")
        }
        try expect(found.count <= new.count, "\(StormPlan.newName) has \(found.count) of \(new.count) bytes")
        for (index, byte) in found.enumerated() where byte != 0 && byte != new[index] {
            throw RuleMismatch("\(StormPlan.newName) has at \(index) the byte \(byte), which is not new")
        }
    }
}
