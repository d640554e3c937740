import LatchkeyKeybag
import Testing

@Suite struct FileProtectionTests {
    @Test(
        "a protection has Apple's name, the class of that number, and its lock states",
        arguments: [
            (FileProtection.complete, "NSFileProtectionComplete", UInt8(1), KeyClass.Availability.onlyWhileUnlocked),
            (.completeUnlessOpen, "NSFileProtectionCompleteUnlessOpen", 2, .onlyWhileUnlocked),
            (
                .completeUntilFirstUserAuthentication, "NSFileProtectionCompleteUntilFirstUserAuthentication", 3,
                .fromFirstUnlock
            ),
            (.none, "NSFileProtectionNone", 4, .always),
        ])
    func table(
        _ protection: FileProtection, _ name: String, _ number: UInt8, _ availability: KeyClass.Availability
    ) {
        #expect(protection.rawValue == name)
        #expect(FileProtection(rawValue: name) == protection)
        #expect(protection.keyClass.rawValue == number)
        #expect(protection.keyClass.availability == availability)
        #expect(protection.keyClass.fileProtection == protection)
        #expect(protection.keyClass.protectionClass == nil)
    }

    @Test("a class is one of files or one of items") func classes() {
        for keyClass in KeyClass.allCases {
            #expect((keyClass.fileProtection == nil) != (keyClass.protectionClass == nil))
        }
        #expect(Set(KeyClass.allCases.compactMap(\.fileProtection)) == Set(FileProtection.allCases))
    }

    @Test("an identifier has 16 bytes", arguments: [0, 15, 16, 17])
    func identifier(count: Int) {
        #expect((FileIdentifier([UInt8](repeating: 1, count: count)) != nil) == (count == 16))
    }
}
