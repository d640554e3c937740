/// An object of a class that modules which import this one do not know.
///
/// They do not load GRDB, so that no program needs SQLite's C module to see a face. Their compilers could not lay out a
/// type with a stored property of one of GRDB's types: such a property is one of this type instead.
struct HiddenObject {
    private let object: AnyObject

    init(_ object: AnyObject) {
        self.object = object
    }

    /// The object; `type` must be the class that it was made with.
    func object<Object: AnyObject>(as type: Object.Type) -> Object {
        unsafe unsafeDowncast(object, to: type)
    }
}

/// A hidden object that several threads use.
struct SharedHiddenObject: @unchecked Sendable {
    // Sendable because it is only ever made with a Sendable object.
    private let hidden: HiddenObject

    init(_ object: any AnyObject & Sendable) {
        hidden = HiddenObject(object)
    }

    /// The object; `type` must be the class that it was made with.
    func object<Object: AnyObject & Sendable>(as type: Object.Type) -> Object {
        hidden.object(as: type)
    }
}
