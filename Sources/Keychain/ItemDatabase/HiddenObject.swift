/// An object whose class is unknown to modules that import this one.
///
/// Those modules do not load GRDB, so that programs do not need SQLite's C module to import a face. Their compiler
/// could not lay out a type that stores a GRDB type, so the property has this type instead.
struct HiddenObject {
    private let object: AnyObject

    init(_ object: AnyObject) {
        self.object = object
    }

    /// Returns the object; `type` must be the class it was made with.
    func object<Object: AnyObject>(as type: Object.Type) -> Object {
        unsafe unsafeDowncast(object, to: type)
    }
}

/// A hidden object for use by several threads.
struct SharedHiddenObject: @unchecked Sendable {
    // Sendable because it can be made only from a Sendable object.
    private let hidden: HiddenObject

    init(_ object: any AnyObject & Sendable) {
        hidden = HiddenObject(object)
    }

    /// Returns the object; `type` must be the class it was made with.
    func object<Object: AnyObject & Sendable>(as type: Object.Type) -> Object {
        hidden.object(as: type)
    }
}
