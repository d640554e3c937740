import Foundation

/// The resident memory of several processes together.
enum SharedMemory {
    /// Returns MiB. A file that processes share, as a library, counts once: with the largest part of it that one of them has.
    static func mebibytes(of processes: [Int32]) throws -> Double {
        var own = 0.0
        var files: [Substring: Double] = [:]
        for process in processes {
            let kibibytes = try kibibytes(of: process)
            own += kibibytes.own
            files.merge(kibibytes.files, uniquingKeysWith: max)
        }
        return (own + files.values.reduce(0, +)) / 1024
    }

    /// Returns the memory of the process alone, and that of files by their paths.
    private static func kibibytes(of process: Int32) throws -> (own: Double, files: [Substring: Double]) {
        // The kernel gives a page at a time, and `String(contentsOfFile:)` takes the first for the whole.
        let bytes = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/proc/\(process)/smaps")).readToEnd() ?? Data()
        let text = String(decoding: bytes, as: UTF8.self)
        var (own, files): (Double, [Substring: Double]) = (0, [:])
        var file: Substring?
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ", maxSplits: 5)
            // The first line of a mapping begins with addresses, each other one with a name and a colon.
            guard words[0].hasSuffix(":") else {
                file = words.count > 5 && words[5].contains("/") ? words[5] : nil
                continue
            }
            guard let kibibytes = Double(words[1]) else { continue }
            switch (words[0], file) {
            case ("Rss:", let file?): files[file, default: 0] += kibibytes
            case ("Rss:", nil): own += kibibytes
            case ("Anonymous:", let file?):
                own += kibibytes
                files[file, default: 0] -= kibibytes
            default: break
            }
        }
        return (own, files)
    }
}
