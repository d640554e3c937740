import Glibc
import Synchronization

@_implementationOnly import CLatchkeyShims

/// What this process lets others see of it.
package enum OwnProcess {
    private static let openings = Mutex(Inspection())

    private struct Inspection {
        var isRefused = false
        var count = 0
    }

    /// From now on no process of the same user may attach to this one, read its memory or see its program; no core files.
    package static func refuseInspection() {
        _ = lk_process_refuse_core_files()
        openings.withLock { state in
            state.isRefused = true
            if state.count == 0 { _ = lk_process_set_inspectable(0) }
        }
    }

    /// Lets others see which program this is for the length of `body`: while it introduces itself to the enclave.
    ///
    /// A process that refuses inspection cannot be identified either, save by root. The opening is as short as a
    /// handshake; in that time this process is as open to its own user as any ordinary program.
    package static func whileInspectable<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
        openings.withLock { state in
            state.count += 1
            // Root sees everybody, and needs no opening.
            if state.isRefused, state.count == 1, geteuid() != 0 { _ = lk_process_set_inspectable(1) }
        }
        defer {
            openings.withLock { state in
                state.count -= 1
                if state.isRefused, state.count == 0 { _ = lk_process_set_inspectable(0) }
            }
        }
        return try body()
    }

    /// The first thing a process does that will hold secrets, while it has one thread: no crash reports, no inspection, no
    /// new privileges, signals to end taken by a call, files for the owner alone. It may run the program anew.
    package static func beginAsDaemon() {
        // Before anything is opened: messages would be written into the file that got the number of a closed one.
        _ = lk_file_occupy_standard_descriptors()
        refuseTraces()
        refuseInspection()
        refuseNewPrivileges()
        blockEndSignals()
        umask(0o077)
    }

    /// Leaves no traces of secrets where they are no longer needed: runs the program anew, once, with settings that are
    /// read before any code of the program runs.
    ///
    /// Without Swift's crash reports, which print registers and memory. And without the cache of freed memory that each
    /// thread has, whose contents are not overwritten. Returns when that is so.
    private static func refuseTraces() {
        let crashReports = (name: "SWIFT_BACKTRACE", value: "enable=no")
        let memory = (name: "GLIBC_TUNABLES", value: "glibc.malloc.tcache_count=0")
        let tunables = setting(memory.name).map { $0.split(separator: ":") } ?? []
        let keepsMemory = lk_process_keeps_tunables() != 0 && !tunables.contains(Substring(memory.value))
        guard setting(crashReports.name) != crashReports.value || keepsMemory else {
            // The name of the link that ran this program anew should not show in the process list.
            _ = (try? ExecutableFile(ofProcess: getpid())).map { unsafe lk_process_set_name($0.name) }
            // For blocks that are freed from here on; the setting keeps small blocks out of the cache, which this does
            // not reach.
            lk_overwrite_freed_memory()
            return
        }
        let others = tunables.filter { !$0.hasPrefix("glibc.malloc.tcache_count=") && $0 != "" }
        guard unsafe setenv(crashReports.name, crashReports.value, 1) == 0,
            unsafe setenv(memory.name, (others + [Substring(memory.value)]).joined(separator: ":"), 1) == 0
        else { return }
        _ = unsafe lk_process_run_again(CommandLine.unsafeArgv, environ)
    }

    private static func setting(_ name: String) -> String? {
        unsafe getenv(name).map { unsafe String(cString: $0) }
    }

    /// From now on no program that this process starts gets more rights than it has itself.
    package static func refuseNewPrivileges() {
        _ = lk_process_refuse_new_privileges()
    }

    /// The calling thread and those it starts from now on lose every capability of a daemon that runs under a user of
    /// its own; an ``OutsideThread`` started before keeps those it looks at other users' programs with. Root keeps what
    /// it has: it could take it back.
    package static func dropCapabilities() {
        guard geteuid() != 0 else { return }
        _ = lk_thread_drop_capabilities()
    }

    /// Takes the signals that end a program away from this thread and those it starts, for ``waitForEndSignal()``.
    package static func blockEndSignals() {
        _ = lk_signals_block()
    }

    /// Waits until somebody asks the process to end (SIGTERM, SIGINT).
    package static func waitForEndSignal() {
        while lk_signals_wait() == SIGHUP {}
    }
}
