import Glibc
import LatchkeyDevice

/// The daemon and the enclave as they run: as whom, and how confined.
enum ProcessSteps {
    /// The most that a daemon locks into memory before secrets can be swapped; the usual default of a system.
    private static let lockedMemory: UInt64 = 8 << 20

    static func steps(
        _ role: String, _ process: ProcessFacts?, user: UInt32?, program: String, start: String
    ) -> [InstallationStep] {
        guard let process else {
            return [InstallationStep(role, .missing, "\(program) does not run", mend: start)]
        }
        let asWhom = process.user.map { Account.userName($0) ?? String($0) } ?? "an unknown user"
        return [
            InstallationStep(
                role, holds: user == nil || process.user == user, "process \(process.identifier) runs as \(asWhom)",
                mend: start)
        ] + self.program(role, RunningProgram(of: process.identifier), start) + [
            confinement(role, process, start),
            lockedMemory(role, process),
        ]
    }

    /// The old program goes on running after an update or a move, and knows the tool beside it by the old path.
    static func program(_ role: String, _ program: RunningProgram, _ start: String) -> [InstallationStep] {
        let (isCurrent, found): (Bool, String)
        switch program {
        case .unknown: return []
        case .present(let path): (isCurrent, found) = (true, path)
        case .removed(let path): (isCurrent, found) = (false, "its file was moved or removed while it runs: \(path)")
        case .replaced(let path):
            (isCurrent, found) = (
                false, "another file has replaced the one that it runs, a restart finishes the upgrade: \(path)"
            )
        }
        return [InstallationStep("program of the \(role)", holds: isCurrent, found, mend: start)]
    }

    private static func confinement(_ role: String, _ process: ProcessFacts, _ start: String) -> InstallationStep {
        var lacks: [String] = []
        if !process.filtersSystemCalls { lacks.append("system calls are not filtered (seccomp)") }
        if !process.refusesNewPrivileges { lacks.append("it can gain privileges (no_new_privs)") }
        if process.refusesInspection == false { lacks.append("others of its user can look into it (dumpable)") }
        if let held = process.capabilities, held != 0, process.user != 0 {
            lacks.append("it holds capabilities (\(String(held, radix: 16)))")
        }
        let found =
            process.refusesInspection == nil ? "seccomp, no new privileges" : "seccomp, no new privileges, not dumpable"
        return InstallationStep(
            "\(role) is confined", holds: lacks.isEmpty, lacks.isEmpty ? found : lacks.joined(separator: "; "),
            mend: "start a current version on a kernel with CONFIG_SECCOMP_FILTER: \(start)")
    }

    private static func lockedMemory(_ role: String, _ process: ProcessFacts) -> InstallationStep {
        let limit = process.lockedMemoryLimit
        return InstallationStep(
            "\(role) locks memory", holds: limit.map { $0 >= Self.lockedMemory } ?? true,
            limit.map { "up to \($0 >> 10) KiB" } ?? "without limit",
            mend: "raise the limit (ulimit -l 8192, or LimitMEMLOCK=8M in the unit) and start it again: "
                + "beyond it secrets can be swapped")
    }
}
