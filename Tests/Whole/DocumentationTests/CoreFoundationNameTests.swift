import Testing

/// A name that `Security` shares with the toolchain's module of C is ambiguous in a file that imports both, unless the
/// module `CoreFoundation` has it, too.
@Suite("Sources/Faces/CoreFoundation")
struct CoreFoundationNameTests {
    private static func names(below directory: String) throws -> Set<String> {
        try Project.files(below: directory, suffix: ".swift").reduce(into: []) { names, path in
            let declarations = /public [a-z ]*(?:func|let|var|typealias|class|struct) (k?CF[A-Z]\w*|OSStatus|noErr)\b/
            names.formUnion(try Project.text(path).matches(of: declarations).map { String($0.output.1) })
        }
    }

    @Test("has each name of Core Foundation that Security declares")
    func complete() throws {
        let declared = try Self.names(below: "Sources/Faces/Security")
        #expect(declared.count > 60)
        let passedOn = try Self.names(below: "Sources/Faces/CoreFoundation")
        #expect(
            declared.subtracting(passedOn).sorted() == [],
            "declare them in Sources/Faces/CoreFoundation like the others")
        #expect(passedOn.subtracting(declared).sorted() == [])
    }
}
