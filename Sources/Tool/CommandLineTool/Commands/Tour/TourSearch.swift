import LatchkeySecretMemory

/// Looks for secrets and account names in files, in clear and in hexadecimal.
struct TourSearch {
    /// Shorter ones would be found by chance in encrypted bytes.
    private static let shortest = 5

    private let needles: [SecretBox]
    let needleCount: Int
    let skippedCount: Int

    init(passwords: [ImportedPassword], passcode: SecretBox) {
        let accounts = Set(passwords.map(\.account)).filter { !$0.isEmpty }.map { SecretBox(copying: Array($0.utf8)) }
        let wanted = passwords.map(\.secret) + accounts + [passcode]
        let long = wanted.filter { $0.count >= Self.shortest }
        needles = long + long.map { SecretText.hexadecimal($0) }
        needleCount = long.count - (passcode.count >= Self.shortest ? 1 : 0)
        skippedCount = wanted.count - long.count
    }

    /// The number of needles that the file holds.
    func count(in file: String) throws(CommandFailure) -> Int {
        try hits(in: file).count
    }

    /// The first file that has any of them.
    func firstHit(in files: [String]) throws(CommandFailure) -> String? {
        for file in files where try !hits(in: file).isEmpty { return file }
        return nil
    }

    private func hits(in file: String) throws(CommandFailure) -> Set<Int> {
        guard let hits = DirectoryTree.file(file, holds: needles) else {
            throw CommandFailure(.tourStepFailed, "\(file) could not be searched.")
        }
        return hits
    }
}

/// A random passcode for the length of a tour.
enum TourPasscode {
    static func random() -> SecretBox {
        var generator = SystemRandomNumberGenerator()
        return unsafe SecretBox(count: 8) { digits in
            for index in digits.indices { unsafe digits[index] = UInt8.random(in: 0x30...0x39, using: &generator) }
        }
    }
}
