@_implementationOnly import CLatchkeyShims

/// An object of which each process has one: a child of `fork` makes its own at the first use.
///
/// For what a child must not take over: keys that are zeros there, locks that a thread held which the child does not have,
/// watches without their thread. The parent's object is neither used nor released in the child: its end would close
/// connections or end work that the parent goes on with.
@safe package final class ProcessOwned<Object: AnyObject & Sendable>: @unchecked Sendable {
    // Sendable because the place never changes, and its word is used by atomic operations alone.
    private final class Entry: Sendable {
        let process = ProcessMark.current
        let object: Object

        init(_ object: Object) {
            self.object = object
        }
    }

    /// The address of the ``Entry``, which this object owns; 0 before the first use.
    private let place = UnsafeMutablePointer<UInt>.allocate(capacity: 1)
    private let make: @Sendable () -> Object

    /// - Parameter make: makes the object. May run twice at the same time; one of the two objects is then released.
    package init(_ make: @escaping @Sendable () -> Object) {
        self.make = make
        unsafe place.initialize(to: 0)
    }

    deinit {
        let last = unsafe Self.entry(at: lk_address_load(place))
        if let last, last.process == .current { unsafe Unmanaged.passUnretained(last).release() }
        unsafe place.deallocate()
    }

    /// The object of this process.
    package var object: Object {
        var known = unsafe lk_address_load(place)
        if let entry = Self.entry(at: known), entry.process == .current { return entry.object }
        let made = Entry(make())
        let own = unsafe UInt(bitPattern: Unmanaged.passRetained(made).toOpaque())
        while unsafe lk_address_replace(place, &known, own) == 0 {
            if let first = Self.entry(at: known), first.process == .current {
                // Another thread of this process was first.
                unsafe Unmanaged.passUnretained(made).release()
                return first.object
            }
        }
        return made.object
    }

    private static func entry(at address: UInt) -> Entry? {
        guard let pointer = unsafe UnsafeRawPointer(bitPattern: address) else { return nil }
        return unsafe Unmanaged<Entry>.fromOpaque(pointer).takeUnretainedValue()
    }
}
