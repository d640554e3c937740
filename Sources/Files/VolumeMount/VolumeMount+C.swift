import CLatchkeyFuse
import Glibc
import LatchkeyThreading
package import LatchkeyVolume

/// A volume in the tree of files: answers the kernel's requests until it is unmounted.
package final class VolumeMount: @unchecked Sendable {
    // Sendable because nothing changes after `run` began; the session is made for several threads.
    package enum Failure: Error, Sendable {
        /// libfuse wrote the reason to standard error.
        case notMounted
    }

    let volume: Volume
    let contentMemory = ContentMemory()
    private let mountPoint: String
    private let whenReady: @Sendable () -> Void
    private let session = SessionBox()

    /// - Parameter whenReady: called once, when programs can use the volume.
    package init(_ volume: Volume, at mountPoint: String, whenReady: @escaping @Sendable () -> Void) {
        self.volume = volume
        self.mountPoint = mountPoint
        self.whenReady = whenReady
    }

    /// Mounts the volume, and unmounts it when `waitForEnd` returns.
    ///
    /// - Parameters:
    ///   - whenMounted: called before the kernel is answered; returns a function that is called before the volume is unmounted.
    ///   - whenGone: called by another thread if a user unmounts it before.
    package func run(
        _ options: MountOptions, whenMounted: () -> () -> Void = { {} },
        whenGone: @escaping @Sendable () -> Void, waitForEnd: () -> Void
    ) throws(Failure) {
        // An answer may come too late for its asker.
        signal(SIGPIPE, SIG_IGN)
        var operations = Operations.all
        let arguments = options.arguments
        var pointers = unsafe arguments.map { unsafe strdup($0) }
        defer { unsafe pointers.forEach { unsafe free($0) } }
        let made = unsafe pointers.withUnsafeMutableBufferPointer { pointers -> OpaquePointer? in
            var list = unsafe fuse_args(argc: Int32(pointers.count), argv: pointers.baseAddress, allocated: 0)
            let userData = unsafe Unmanaged.passUnretained(self).toOpaque()
            defer { unsafe fuse_opt_free_args(&list) }
            return unsafe fuse_session_new(&list, &operations, MemoryLayout<fuse_lowlevel_ops>.size, userData)
        }
        guard let made = unsafe made else { throw .notMounted }
        defer { unsafe fuse_session_destroy(made) }
        guard unsafe fuse_session_mount(made, mountPoint) == 0 else { throw .notMounted }
        unsafe session.set(made)
        volume.follow { [session] numbers in session.forget(numbers) }
        let loop = unsafe RequestLoop(made, contentMemory, tidy: { [volume] in volume.tidy() }, whenGone: whenGone)
        let prepareEnd = whenMounted()
        if loop.start() {
            waitForEnd()
            // While requests are still answered: the kernel writes changes of mapped memory out, and a notification of a lock
            // waits for its answers.
            forgetAll()
            unsafe session.set(nil)
            loop.stop()
        }
        prepareEnd()
        unsafe session.set(nil)
        unsafe fuse_session_unmount(made)
        volume.close()
    }

    /// Lets the kernel forget the content of all files, on a thread that may wait in the kernel without an end. The first thread
    /// does not: its end shows that this process was killed.
    private func forgetAll() {
        let (session, numbers) = (session, volume.fileNumbers)
        DetachedThread.runAndWait { session.forget(numbers) }
    }

    /// The kernel has told what it can do, and is told what it shall.
    func begin(_ connection: UnsafeMutablePointer<fuse_conn_info>) {
        unsafe connection.pointee.want |= wanted & connection.pointee.capable
        // Only this process changes the stored files, so that times say nothing about cached content.
        unsafe connection.pointee.want &= ~UInt32(FUSE_CAP_AUTO_INVAL_DATA)
        whenReady()
    }

    private let wanted =
        UInt32(FUSE_CAP_READDIRPLUS) | UInt32(FUSE_CAP_PARALLEL_DIROPS) | UInt32(FUSE_CAP_CACHE_SYMLINKS)
        | UInt32(FUSE_CAP_EXPLICIT_INVAL_DATA) | UInt32(FUSE_CAP_ATOMIC_O_TRUNC) | UInt32(FUSE_CAP_ASYNC_READ)
}

/// The session while it runs, for the thread that follows the lock.
@safe private final class SessionBox: @unchecked Sendable {
    // Sendable because the pointer is used under the lock alone.
    private var session: OpaquePointer?
    private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

    init() {
        unsafe pthread_mutex_init(lock, nil)
    }

    deinit {
        unsafe pthread_mutex_destroy(lock)
        unsafe lock.deallocate()
    }

    func set(_ session: OpaquePointer?) {
        unsafe pthread_mutex_lock(lock)
        unsafe self.session = unsafe session
        unsafe pthread_mutex_unlock(lock)
    }

    /// Lets the kernel forget the cached content of files. It writes changes in mapped memory out first.
    func forget(_ numbers: [UInt64]) {
        unsafe pthread_mutex_lock(lock)
        defer { unsafe pthread_mutex_unlock(lock) }
        guard let session = unsafe session else { return }
        for number in numbers { unsafe fuse_lowlevel_notify_inval_inode(session, number, 0, 0) }
    }
}
