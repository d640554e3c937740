import Glibc

/// The library that the programs of an installation share (`Scripts/link-programs`). Programs that were built for tests have
/// none.
enum SharedLibrary {
    private static let beginning = Array("liblatchkey-".utf8)

    /// The names of such libraries in a directory.
    static func names(in directory: String) -> [String] {
        guard let stream = unsafe opendir(directory) else { return [] }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                unsafe Array(bytes.prefix { $0 != 0 })
            }
            if name.starts(with: beginning) { names.append(String(decoding: name, as: UTF8.self)) }
        }
        return names.sorted()
    }
}
