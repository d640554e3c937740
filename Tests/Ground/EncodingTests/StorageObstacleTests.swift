import Glibc
import LatchkeyEncoding
import Testing

/// The judgement whether a failure says that a file is damaged.
@Suite struct StorageObstacleTests {
    /// Extended codes of input and output, of damage, and of files that cannot be opened.
    private static let extended: [Int32] = [8458, 266, 267, 523, 526, 282]

    @Test(
        "of all codes of SQLite, only corrupt and not a database are damage",
        arguments: (1...28).map(Int32.init) + extended)
    func databaseCodes(_ code: Int32) {
        let isDamage = StorageObstacle(databaseCode: code) == .damage
        #expect(isDamage == [11, 26].contains(code & 0xFF))
    }

    @Test("no error of the system is damage, and each says what to do", arguments: Int32(1)...133)
    func systemErrors(_ number: Int32) {
        let obstacle = StorageObstacle(systemError: number)
        #expect(obstacle != .damage)
        #expect(!obstacle.reason.isEmpty && obstacle.advice.hasSuffix(".") && !obstacle.advice.contains("backup"))
    }

    private static let causes: [(Int32, Int32, StorageObstacle)] = [
        (14, EMFILE, .system(EMFILE)), (14, 0, .database(14)), (10, EACCES, .system(EACCES)), (10, 0, .system(EIO)),
        (13, 0, .system(ENOSPC)), (7, 0, .system(ENOMEM)), (8, 0, .system(EROFS)), (5, 0, .busy), (517, EAGAIN, .busy),
        (11, EIO, .damage),
    ]

    @Test("a code of SQLite is judged by the error of the system behind it", arguments: causes)
    func systemCauses(_ code: Int32, _ number: Int32, _ expected: StorageObstacle) {
        #expect(StorageObstacle(databaseCode: code, systemError: number) == expected)
    }
}
