import Foundation
import Security

/// The items of the measurements: passwords of accounts at a hundred services.
enum SampleItems {
    static let serviceCount = 100

    static func service(_ index: Int) -> String { "service-\(index % serviceCount).example.com" }
    static func account(_ index: Int) -> String { "person-\(index)@example.com" }
    static func password(_ index: Int) -> String { "correct horse \(index) battery" }

    /// What an app asks when it wants one password.
    static func query(_ index: Int) -> CFDictionary {
        [
            kSecClass: kSecClassGenericPassword, kSecAttrService: service(index), kSecAttrAccount: account(index),
            kSecReturnData: true, kSecMatchLimit: kSecMatchLimitOne,
        ] as CFDictionary
    }

    static func item(_ index: Int) -> CFDictionary {
        [
            kSecClass: kSecClassGenericPassword, kSecAttrService: service(index), kSecAttrAccount: account(index),
            kSecValueData: Data(password(index).utf8),
        ] as CFDictionary
    }
}
