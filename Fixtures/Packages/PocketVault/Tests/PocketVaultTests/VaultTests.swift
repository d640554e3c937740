#if canImport(Security)
import PocketCore
import XCTest

@testable import PocketVault

final class VaultTests: XCTestCase {
    func testAValueIsKept() {
        let vault = Vault()
        XCTAssertEqual(vault.set(Data("a".utf8), for: "anna"), errSecSuccess)
        XCTAssertEqual(vault.data(for: "anna"), Data("a".utf8))
    }

    func testCFindsTheSameItem() {
        XCTAssertEqual(Vault().set(Data("a".utf8), for: "carl"), errSecSuccess)
        XCTAssertEqual(pocket_has("com.example.pocketvault", "carl"), 1)
        XCTAssertEqual(pocket_has("com.example.pocketvault", "dora"), 0)
    }

    func testTheBundleHasAnIdentifier() {
        XCTAssertEqual(Bundle.main.bundleIdentifier, "com.example.pocketvault")
    }

    func testTheGroupsAreThoseOfTheEntitlements() {
        XCTAssertEqual(Vault(group: "LATCHKEYGO.com.example.shared").set(Data([1]), for: "b"), errSecSuccess)
        XCTAssertEqual(Vault(group: "LATCHKEYGO.com.example.other").set(Data([1]), for: "b"), errSecMissingEntitlement)
    }
}
#endif
