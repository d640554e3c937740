// A login that is remembered: the token for the background, the password behind a finger, the settings as they are, each with a
// protection of its own, in a Lockbox.

import Foundation
import Lockbox
import Security
import SecurityTesting

struct Settings: Codable, Equatable {
    var server: String
    var syncsAtNight: Bool
}

/// The app's code, as it would be on a phone.
struct Login {
    private let box: Lockbox

    init() throws {
        box = try Lockbox(identifier: "com.example.mail", protection: .whenUnlockedThisDeviceOnly)
    }

    func remember(token: String, password: String, settings: Settings) throws {
        // The nightly sync needs the token while the phone lies locked on a table.
        try box.set(token, for: "token", protection: .afterFirstUnlockThisDeviceOnly)
        try box.set(
            password, for: "password", protection: .whenPasscodeSetThisDeviceOnly.requiring(.biometryCurrentSet))
        try box.set(settings, for: "settings")
    }

    func token() throws -> String? { try box.string(for: "token") }
    func password() throws -> String? { try box.string(for: "password", prompt: .reason("Log in again")) }
    func settings() throws -> Settings? { try box.value(for: "settings") }
    func keys() throws -> [String] { try box.allKeys }
    func forget() throws { try box.removeAll() }
}

/// Ends the program if something is not as it should be.
func check(_ story: String, _ isRight: Bool) {
    print("\(story): \(isRight ? "yes" : "NO")")
    if !isRight { exit(1) }
}

let phone = try VirtualDevice()
try phone.setPasscode("1234")
try phone.enroll(.rightIndex)
let mail = phone.install("com.example.mail", team: "A1B2C3D4E5")
let settings = Settings(server: "mail.example.org", syncsAtNight: true)

try mail.run {
    let login = try Login()
    check("nothing is remembered at first", try login.token() == nil)
    try login.remember(token: "abc", password: "swordfish", settings: settings)
    check("settings come back as they were", try login.settings() == settings)

    phone.script(.match(.rightIndex))
    check("the password comes after a finger", try login.password() == "swordfish")
    phone.script(.cancel)
    do {
        _ = try login.password()
        check("and not without", false)
    } catch LockboxError.cancelled {
        check("and not without", true)
    }

    try phone.lock()
    check("the sync at night has its token", try login.token() == "abc")
    do {
        _ = try login.settings()
        check("and nothing else", false)
    } catch LockboxError.locked {
        check("and nothing else", true)
    }

    try phone.unlock("1234")
    try phone.enroll(.leftThumb)
    check("another finger ends the password", try login.password() == nil)
    try login.forget()
    check("a logout leaves nothing", try login.keys().isEmpty)
}
for finding in phone.findings {
    print(finding)
    exit(1)
}
phone.close()
