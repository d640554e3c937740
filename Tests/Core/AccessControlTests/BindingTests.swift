import LatchkeyAccessControl
import LatchkeyPropertyListDER
import Testing

@Suite("Binding an access control to what is enrolled")
struct BindingTests {
    private static let set = EnrolmentSet.test(7)

    @Test("biometry cannot be bound while nothing is enrolled", arguments: VerdictTableTests.flagSets)
    func nothingEnrolled(flags: AccessControlFlags) throws {
        let control = try AccessControl(protection: .whenUnlocked, flags: flags)
        let isAboutFingers = flags.contains(.biometryAny) || flags.contains(.biometryCurrentSet)
        #expect(control.needsEnrolmentToAdd == isAboutFingers)
        #expect((control.bound(to: nil) == nil) == isAboutFingers)
    }

    @Test("only the current set is written down, and what is bound reads back", arguments: VerdictTableTests.flagSets)
    func bound(flags: AccessControlFlags) throws {
        let bound = try #require(try AccessControl(protection: .always, flags: flags).bound(to: Self.set))
        #expect(bound.isBound)
        #expect(bound.enrolmentSet == (flags.contains(.biometryCurrentSet) ? Self.set : nil))
        #expect(try AccessControl(serialised: bound.serialised) == bound)
        #expect(bound.bound(to: EnrolmentSet.test(8)) == bound)
        #expect(
            bound.marked(asBound: false)
                == (try AccessControl(protection: .always, flags: flags)).marked(asBound: false))
    }

    private static func fields(_ changes: [String: PropertyValue?]) -> [UInt8] {
        var fields: [String: PropertyValue] = [
            "prot": .string("ak"), "flags": .integer(8), "bound": .boolean(true), "set": .data(set.bytes),
        ]
        for (key, value) in changes { fields[key] = value }
        return DERWriter.encode(.dictionary(fields))
    }

    @Test(
        "a set stands exactly where it belongs",
        arguments: [
            (["set": nil], .misplacedSet), (["bound": .boolean(false)], .misplacedSet),
            (["flags": .integer(2)], .misplacedSet), (["flags": .integer(0)], .misplacedSet),
            (["set": .data([1, 2])], .wrongType(key: "set")), (["set": .string("x")], .wrongType(key: "set")),
            (["set": .data([UInt8](repeating: 0, count: 17))], .wrongType(key: "set")),
        ] as [([String: PropertyValue?], SerialisationFailure)])
    func misplaced(changes: [String: PropertyValue?], failure: SerialisationFailure) {
        #expect(throws: failure) { try AccessControl(serialised: Self.fields(changes)) }
    }

    @Test("with nothing changed it is read") func sound() throws {
        #expect(try AccessControl(serialised: Self.fields([:])).enrolmentSet == Self.set)
    }
}
