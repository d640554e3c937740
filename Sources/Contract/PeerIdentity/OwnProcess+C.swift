import Glibc
import LatchkeyThreading

@_implementationOnly import CLatchkeyShims

/// The visibility of this process to others, its signals and its rights.
package enum OwnProcess {
    private static let openings = ForkMutex(Inspection())

    private struct Inspection {
        var isRefused = false
        var count = 0
    }

    /// From now on no process of the same user can attach to this one, read its memory or see its program; no core
    /// files.
    package static func refuseInspection() {
        _ = lk_process_refuse_core_files()
        openings.withLock { state in
            state.isRefused = true
            if state.count == 0 { _ = lk_process_set_inspectable(0) }
        }
    }

    /// No core files: for a program that holds content of files, and that daemons have to identify at any time.
    package static func refuseCoreFiles() {
        _ = lk_process_refuse_core_files()
    }

    /// Lets other processes identify this program during `body`: while it introduces itself to the enclave.
    ///
    /// Only root can identify a process that refuses inspection. This lasts only for a handshake; during that time this
    /// process is as open to its own user as any ordinary program.
    package static func whileInspectable<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
        openings.withLock { state in
            state.count += 1
            // Root sees every process, and does not need this.
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

    /// Must be the first call of a process that will hold secrets, while it has one thread: no crash reports, no
    /// inspection, no new privileges, end signals for ``waitForEndSignal()``, files for the owner alone. It may restart
    /// the program.
    package static func beginAsDaemon() {
        // Before any file is opened: messages would be written into a file that got the number of a closed descriptor.
        _ = lk_file_occupy_standard_descriptors()
        refuseTraces()
        refuseInspection()
        refuseNewPrivileges()
        blockEndSignals()
        umask(0o077)
    }

    /// Prevents traces of secrets in memory: restarts the program, once, with settings that are read before any code of
    /// the program runs.
    ///
    /// They turn off Swift's crash reports, which print registers and memory, and each thread's cache of freed memory,
    /// whose contents are not overwritten. Returns once they are set.
    private static func refuseTraces() {
        let crashReports = (name: "SWIFT_BACKTRACE", value: "enable=no")
        let memory = (name: "GLIBC_TUNABLES", value: "glibc.malloc.tcache_count=0")
        let tunables = setting(memory.name).map { $0.split(separator: ":") } ?? []
        let keepsMemory = lk_process_keeps_tunables() != 0 && !tunables.contains(Substring(memory.value))
        guard setting(crashReports.name) != crashReports.value || keepsMemory else {
            // The process list should not show the name of the link that restarted this program.
            _ = (try? ExecutableFile(ofProcess: getpid())).map { unsafe lk_process_set_name($0.name) }
            // Covers blocks that are freed from now on; the setting keeps small blocks out of the cache, which this
            // call does not reach.
            lk_overwrite_freed_memory()
            return
        }
        let others = tunables.filter { !$0.hasPrefix("glibc.malloc.tcache_count=") && $0 != "" }
        guard unsafe setenv(crashReports.name, crashReports.value, 1) == 0,
            unsafe setenv(memory.name, (others + [Substring(memory.value)]).joined(separator: ":"), 1) == 0
        else { return }
        _ = unsafe lk_process_run_again(CommandLine.unsafeArgv, environ)
    }

    /// Keeps little of the memory that this process frees. For programs that allocate little, before they start threads.
    package static func keepLittleMemory() {
        lk_keep_little_memory()
    }

    /// Has all threads share one heap, which grows in larger steps than the heap of a thread. For programs whose threads seldom
    /// allocate at the same time, before they start threads.
    package static func useOneHeap() {
        lk_use_one_heap()
    }

    /// Gives the kernel back what this process has freed, as far as it is whole pages. Takes milliseconds.
    package static func returnFreedMemory() {
        lk_return_freed_memory()
    }

    private static func setting(_ name: String) -> String? {
        unsafe getenv(name).map { unsafe String(cString: $0) }
    }

    /// Keeps programs that this process starts from getting more rights than it has.
    package static func refuseNewPrivileges() {
        _ = lk_process_refuse_new_privileges()
    }

    /// Lets this process get an end signal when its parent ends. False if the parent has ended already.
    package static func endWithParent(_ parent: Int32) -> Bool {
        lk_process_end_with_parent(parent) == 0
    }

    /// Drops the capabilities of the calling thread, and of those it starts later, in a daemon under a user of its own;
    /// an ``OutsideThread`` started before keeps those for inspecting other users' programs. Root keeps its
    /// capabilities, because it could restore them.
    package static func dropCapabilities() {
        guard geteuid() != 0 else { return }
        _ = lk_thread_drop_capabilities()
    }

    /// Blocks the signals that end a program in this thread and those it starts, for ``waitForEndSignal()``.
    package static func blockEndSignals() {
        _ = lk_signals_block()
    }

    /// Waits for a signal to end the process (SIGTERM, SIGINT).
    package static func waitForEndSignal() {
        while lk_signals_wait() == SIGHUP {}
    }

    /// Opens a source of the signals that end the process, for ``waitForEndSignal(from:orReadable:milliseconds:)``: a
    /// descriptor, negative if none is left.
    package static func openEndSignals() -> Int32 { lk_signals_open() }

    /// Waits for a signal to end the process, until a descriptor is readable, or until a time is over.
    ///
    /// - Parameters:
    ///   - signals: from ``openEndSignals()``.
    ///   - descriptor: nil to wait for none.
    ///   - milliseconds: nil to wait without an end.
    /// - Returns: true if a signal came.
    package static func waitForEndSignal(
        from signals: Int32, orReadable descriptor: Int32?, milliseconds: Int32?
    ) -> Bool {
        while true {
            let outcome = lk_signals_wait_or_readable(signals, descriptor ?? -1, milliseconds ?? -1)
            switch outcome {
            case SIGHUP, -EINTR: continue
            case 0: return false
            case ..<0:
                waitForEndSignal()
                return true
            default: return true
            }
        }
    }
}
