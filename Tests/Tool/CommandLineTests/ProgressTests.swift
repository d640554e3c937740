import LatchkeyCommandLineTool
import Testing

@Suite("The progress line")
struct ProgressTests {
    @Test(
        "says how much is done, how fast and how long it will take",
        arguments: [
            (Progress(phase: "Encrypting", total: 10 << 30, done: 0), "Encrypting   0%", "0 bytes of 10.0 GiB"),
            (Progress(phase: "Encrypting", total: 4096, done: 1024, seconds: 2), " 25%", "512 bytes/s  0:06 left"),
            (Progress(phase: "Checking", total: 1000, done: 999, seconds: 1), " 99%", "0:01 left"),
            (Progress(phase: "Checking", total: 1000, done: 1000, seconds: 1), "100%", "1000 bytes/s"),
            (Progress(phase: "Receiving", total: nil, done: 3 << 20, seconds: 1), "Receiving  3.0 MiB", "3.0 MiB/s"),
            (Progress(phase: "Encrypting", total: 0), "100%", "0 bytes of 0 bytes"),
            // The file grew meanwhile.
            (Progress(phase: "Encrypting", total: 10, done: 20, seconds: 1), "100%", "20 bytes of 10 bytes"),
            (Progress(phase: "Encrypting", total: 1 << 50, done: 1 << 30, seconds: 1), "  0%", "291:16:15 left"),
        ])
    func lines(_ progress: Progress, _ first: String, _ second: String) {
        let line = progress.line(columns: 100)
        #expect(line.contains(first), "\(line)")
        #expect(line.contains(second), "\(line)")
    }

    @Test("fits into any terminal, and keeps a column free")
    func widths() {
        let progress = Progress(phase: "Decrypting", total: 123_456_789_012, done: 98_765_432_109, seconds: 77)
        for columns in 0...200 {
            let line = progress.line(columns: columns)
            #expect(line.count <= max(0, columns - 1))
            #expect(line.isEmpty || "Decrypting".hasPrefix(line.prefix(10)))
        }
        #expect(!progress.line(columns: 40).contains("["))
        #expect(progress.line(columns: 120).contains("[########################------]"))
    }

    @Test("has a bar that is full at the end and not before")
    func bar() {
        for done in [0, 1, 50, 99, 100] {
            let line = Progress(phase: "x", total: 100, done: done).line(columns: 100)
            #expect(line.contains("-]") == (done < 100), "\(line)")
            #expect(line.filter { $0 == "#" }.count == done * 30 / 100)
        }
    }

    @Test(
        "sizes have one unit and at most five digits",
        arguments: [
            (0, "0 bytes"), (1, "1 byte"), (1023, "1023 bytes"), (1024, "1.0 KiB"), (1 << 20, "1.0 MiB"),
            ((1 << 20) - 1, "1.0 MiB"), (10 << 30, "10.0 GiB"), (1_500_000, "1.4 MiB"), (Int.max, "8.0 EiB"),
        ])
    func sizes(_ byteCount: Int, _ text: String) {
        #expect(FileSize.text(byteCount) == text)
    }
}
