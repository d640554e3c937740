import Foundation
import Synchronization
import Testing

@testable import LatchkeyVolume

@Suite struct ClosedFilesTests {
    private let stage: VolumeStage

    init() throws {
        stage = try VolumeStage()
    }

    private var openCount: Int {
        stage.volume.nodes.all.count { node in node.content.withLock { $0.content != nil } }
    }

    @Test("of files that were closed, a limited number stays open, and fewer after a pause") func limit() throws {
        for index in 0..<400 { try stage.volume.store("file-\(index)", "text \(index)") }
        #expect(openCount == 320)
        for _ in 0..<100 { stage.volume.tidy() }
        #expect(openCount == 256)
        for index in 0..<400 { #expect(try stage.volume.text("file-\(index)") == "text \(index)") }
    }

    @Test("a file that is opened again before the pause stays open") func openedAgain() throws {
        for index in 0..<300 { try stage.volume.store("file-\(index)", "text \(index)") }
        let first = try stage.volume.number("file-0")
        try stage.volume.open(first, flags: O_RDWR)
        for _ in 0..<100 { stage.volume.tidy() }
        try stage.volume.write(first, Array("more".utf8))
        stage.volume.release(first)
        #expect(try stage.volume.text("file-0") == "more 0")
    }
}
